/** What vendors get wrong, each alone: around an endpoint that does everything else right, whichever transport serves it. */
import { createEndpoint, type Endpoint } from '@tether/endpoint';
import { newKey } from '../endpoint/ledger-calls.ts';
import { secret, shop } from './shop.ts';

type Outcome = Awaited<ReturnType<Endpoint['invoke']>>;
type Invocation = Parameters<Endpoint['invoke']>[0];

export interface Fault {
  /** The one check that is to fail. */
  readonly fails: string;
  readonly make: () => Endpoint;
}

const isWrite = ({ mode }: Invocation): boolean => mode === 'execute';

function over(good: Endpoint, wrong: Partial<Endpoint>): Endpoint {
  return { ...good, ...wrong };
}

/** Changes what a write gets to be. */
function writes(good: Endpoint, change: (call: Invocation) => Invocation): Endpoint {
  return over(good, { invoke: (call) => good.invoke(isWrite(call) ? change(call) : call) });
}

export const faults: Readonly<Record<string, Fault>> = {
  'forgets keys, and does it again': {
    fails: 'same-key-twice',
    make: () => writes(shop(), (call) => ({ ...call, requestId: newKey() })),
  },

  'does it again, and says what it said the first time': {
    fails: 'same-key-twice',
    make() {
      const good = shop();
      const first = new Map<string, Promise<Outcome>>();
      return over(good, {
        async invoke(call) {
          const known = first.get(call.requestId);
          if (!isWrite(call) || known === undefined) {
            const answer = good.invoke(call);
            if (isWrite(call)) first.set(call.requestId, answer);
            return answer;
          }
          await known;
          await good.invoke({ ...call, requestId: newKey() });
          return known;
        },
      });
    },
  },

  'answers a repeat with something else': {
    fails: 'same-key-twice',
    make() {
      const good = shop();
      return over(good, {
        async invoke(call) {
          const answer = await good.invoke(call);
          if (answer.kind !== 'result' || !answer.replayed) return answer;
          return { ...answer, json: '{"status":"done before"}' };
        },
      });
    },
  },

  'refuses a repeat': {
    fails: 'same-key-twice',
    make() {
      const good = shop();
      return over(good, {
        async invoke(call) {
          const answer = await good.invoke(call);
          if (answer.kind !== 'result' || !answer.replayed) return answer;
          const refusal = {
            code: 'duplicate',
            message: 'That was done before.',
            effect: 'none',
            retryable: false,
          } as const;
          return { kind: 'refused', refusal, replayed: false };
        },
      });
    },
  },

  'does both of two at once': {
    fails: 'same-key-at-once',
    make() {
      const good = shop({ work: 150 });
      const working = new Set<string>();
      return over(good, {
        async invoke(call) {
          if (!isWrite(call)) return good.invoke(call);
          if (working.has(call.requestId)) return good.invoke({ ...call, requestId: newKey() });
          working.add(call.requestId);
          return good.invoke(call).finally(() => working.delete(call.requestId));
        },
      });
    },
  },

  'answers other arguments with the first result': {
    fails: 'same-key-other-arguments',
    make() {
      const first = new Map<string, Invocation['args']>();
      return writes(shop(), (call) => {
        const args = first.get(call.requestId) ?? call.args;
        first.set(call.requestId, args);
        return { ...call, args };
      });
    },
  },

  'does a key again that comes with other arguments': {
    fails: 'same-key-other-arguments',
    make() {
      const first = new Map<string, string>();
      return writes(shop(), (call) => {
        const args = JSON.stringify(call.args);
        const known = first.get(call.requestId) ?? args;
        first.set(call.requestId, known);
        return known === args ? call : { ...call, requestId: newKey() };
      });
    },
  },

  'ignores the deadline': {
    fails: 'late-call',
    make: () => writes(shop(), (call) => ({ ...call, deadline: new Date(Date.now() + 60_000) })),
  },

  'says that it is past the deadline, and does it': {
    fails: 'late-call',
    make() {
      const good = shop();
      return over(good, {
        async invoke(call) {
          const answer = await good.invoke(call);
          if (answer.kind === 'late' && answer.code === 'past_deadline') {
            await good.invoke({ ...call, deadline: new Date(Date.now() + 60_000) });
          }
          return answer;
        },
      });
    },
  },

  'lets in what is not signed': {
    fails: 'signature-required',
    make: () => over(shop(), { checkSignature: async () => undefined }),
  },

  'lets in what was signed long ago': {
    fails: 'signature-required',
    make: () =>
      over(shop(), {
        checkSignature(body, header) {
          const now = () => Number(header('webhook-timestamp')) * 1_000;
          return createEndpoint({ tools: {}, signingSecrets: secret, now, onAnswered: () => undefined }).checkSignature(
            body,
            header,
          );
        },
      }),
  },

  'fails instead of refusing': {
    fails: 'refusal-shape',
    make() {
      const good = shop();
      return over(good, {
        async invoke(call) {
          const answer = await good.invoke(call);
          const closed = answer.kind === 'refused' && answer.refusal.code === 'account_closed';
          return closed ? { kind: 'failed', error: new Error('closed') } : answer;
        },
      });
    },
  },

  'has answers over the cap': { fails: 'result-cap', make: () => shop({ padding: 300_000 }) },

  'says of what was done that it was not': {
    fails: 'probe-truthful',
    make() {
      const good = shop();
      return over(good, {
        async probe(question) {
          const answer = await good.probe(question);
          return answer.kind === 'executed' ? { kind: 'not_executed' } : answer;
        },
      });
    },
  },

  'tells another result to a probe': {
    fails: 'probe-truthful',
    make() {
      const good = shop();
      return over(good, {
        async probe(question) {
          const answer = await good.probe(question);
          return answer.kind === 'executed' ? { ...answer, result: '{"charge":0}' } : answer;
        },
      });
    },
  },

  'says "not executed", and does it when it comes late': {
    fails: 'probe-fences',
    make() {
      const good = shop();
      const done = new Set<string>();
      return over(good, {
        async invoke(call) {
          const answer = await good.invoke(call);
          if (answer.kind === 'result') done.add(call.requestId);
          return answer;
        },
        async probe(question) {
          return done.has(question.requestId) ? good.probe(question) : { kind: 'not_executed' };
        },
      });
    },
  },

  'fences everything that comes after a probe': {
    fails: 'probe-fences',
    make() {
      const good = shop();
      return over(good, { probe: (question) => good.probe({ ...question, attempt: 1_000 }) });
    },
  },
};
