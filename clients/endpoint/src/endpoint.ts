import { type Answered, logTrouble, type OnAnswered, safely } from './answered.ts';
import type { Invocation, ProbeQuestion } from './invocation.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Outcome, ProbeOutcome } from './outcome.ts';
import { createRunCall } from './run-call.ts';
import { type HeaderOf, signatureCheck } from './signature.ts';
import type { Tools } from './tool.ts';

export interface EndpointOptions<Tx> {
  /** By the names under which the catalog declares them. */
  readonly tools: Tools<NoInfer<Tx>>;
  /** Remembers which writes were made; needed as soon as a tool is a write. */
  readonly ledger?: Ledger<Tx>;
  /**
   * What calls must be signed with: one `whsec_…`, or two while one takes the place of the other; as a list, or one text with
   * spaces between. `false` answers whoever comes.
   */
  readonly signingSecrets: string | readonly string[] | false;
  /** Longest result, bytes; 262144 by default, as Tether's own limit (`max_response_bytes`). */
  readonly maxResultBytes?: number;
  /** Longest request, bytes; 1048576 by default. Tether's arguments have 262144 at most. */
  readonly maxRequestBytes?: number;
  /** Told of every call when it is answered. By default, what fails or is not signed goes to the console. */
  readonly onAnswered?: OnAnswered;
  /** Milliseconds since the epoch, for signatures and the deadlines of reads; `Date.now` by default. */
  readonly now?: () => number;
}

/** An endpoint of no transport yet: one of the adapters serves it. */
export interface Endpoint {
  readonly maxRequestBytes: number;
  /** Resolves with what is wrong with the signature; undefined when the call may come in. */
  checkSignature(body: Uint8Array, header: HeaderOf): Promise<string | undefined>;
  /** Never rejects. */
  invoke(invocation: Invocation): Promise<Outcome>;
  /** Never rejects. */
  probe(question: ProbeQuestion): Promise<ProbeOutcome>;
  /** For an adapter that turned a call away, or failed, before it could read it. */
  notRead(outcome: 'malformed' | 'failed', error: unknown): void;
}

/**
 * One object for all transports: finds the tool, sees to it that a write is done at most one time for each key, in one
 * transaction with its record and before its deadline, and has words for what came of it that Tether reads as they are meant.
 *
 * @throws Error when `signingSecrets` are none, or a tool is a write and there is no ledger.
 */
export function createEndpoint<Tx = undefined>(options: EndpointOptions<Tx>): Endpoint {
  const { tools, ledger, signingSecrets, maxResultBytes = 262_144, maxRequestBytes = 1_048_576 } = options;
  const { now = Date.now, onAnswered = logTrouble } = options;
  const told = safely(onAnswered);
  const check = signingSecrets === false ? undefined : signatureCheck(signingSecrets, now);
  const [aWrite] = Object.entries(tools).find(([, tool]) => tool.isWrite) ?? [];
  if (aWrite !== undefined && ledger === undefined) {
    throw new Error(`The tool ${aWrite} is a write, and there is no ledger that keeps it from being done twice`);
  }
  const run = createRunCall<Tx>({ tools, ledger, maxResultBytes, now });

  return {
    maxRequestBytes,

    async checkSignature(body, header) {
      const fault = await check?.(body, header);
      if (fault !== undefined) told({ outcome: 'unsigned', error: new Error(fault) });
      return fault;
    },

    async invoke(invocation) {
      const outcome = await run(invocation).catch((error: unknown): Outcome => ({ kind: 'failed', error }));
      const { tool, mode, requestId, attempt } = invocation;
      told({ tool, mode, requestId, attempt, ...inWords(outcome) });
      return outcome;
    },

    async probe({ requestId, tenant, tool, attempt }) {
      const asked = { key: requestId, tenant: tenant.id, tool, attempt };
      const outcome: ProbeOutcome = ledger
        ? await ledger.probe(asked).catch((error: unknown): ProbeOutcome => ({ kind: 'failed', error }))
        : { kind: 'unknown' };
      told({ tool, mode: 'probe', requestId, attempt, ...inWords(outcome) });
      return outcome;
    },

    notRead: (outcome, error) => told({ outcome, error }),
  };
}

function inWords(outcome: Outcome | ProbeOutcome): Pick<Answered, 'outcome' | 'error'> {
  switch (outcome.kind) {
    case 'result':
      return { outcome: outcome.replayed ? 'replayed' : 'result' };
    case 'refused':
      return { outcome: 'refused', error: outcome.refusal };
    case 'late':
      return { outcome: 'late', error: outcome.message };
    case 'failed':
      return { outcome: 'failed', error: outcome.error };
    default:
      return { outcome: outcome.kind };
  }
}
