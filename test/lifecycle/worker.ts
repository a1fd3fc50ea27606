/** One attempt of a walk as it really runs: a replica that has claimed, and whatever becomes of its call. */
import type { Confirmed } from '../../server/lifecycle/lifecycle.ts';
import { StoreUnavailable } from '../../server/lifecycle/ports/store-unavailable.ts';
import type { EndpointAnswer, EndpointCall } from '../support/endpoint.ts';
import type { Gate } from './gates.ts';
import type { Message } from './message.ts';
import type { Replica } from './replica.ts';

export interface Worker {
  readonly replica: Replica;
  /** Once a settlement was committed and not heard of, the answer in its hand can no longer get lost. */
  readonly mayLoseAnswer: boolean;
  /** Lets it connect and send; resolves when the endpoint has the call. */
  send(): Promise<void>;
  /** The endpoint asks what to do with the call. Throws for a second one. */
  called(call: EndpointCall): Promise<EndpointAnswer>;
  /** What it is going to be answered; of a call that was not sent, nothing. */
  plan(answer: EndpointAnswer): void;
  /** The answer comes, and is recorded; what its caller is told, if it is the first time. */
  settle(): Promise<Confirmed | undefined>;
  /** The same, but the acknowledgement of the commit is lost. */
  settleUnheard(): Promise<void>;
}

/** The confirm claims, and stops right before its call goes out. Rejects if it never claims. */
export async function workerOf({ replica, told: confirmed, beforeWrite }: Message): Promise<Worker> {
  const told = await Promise.race([beforeWrite.reached.then(() => undefined), confirmed]);
  if (told !== undefined) throw new Error(`the claim was not made: ${told.status}`);

  const arrived = Promise.withResolvers<void>();
  const response = Promise.withResolvers<EndpointAnswer>();
  let sent = false;
  let calls = 0;
  let planned: EndpointAnswer | undefined;
  let retry: Gate | undefined;
  let finished = false;

  /** Lets the answer come: the first time to whoever waits for it, later to the settlement that is tried again. */
  const deliver = (): Promise<Confirmed | undefined> => {
    if (retry !== undefined) {
      retry.pass();
      return replica.lifecycle.drain(10_000).then(() => undefined);
    }
    if (!sent) beforeWrite.pass();
    else if (planned !== undefined) response.resolve(planned);
    else throw new Error('there is no answer yet');
    return confirmed;
  };

  return {
    replica,
    get mayLoseAnswer() {
      return retry === undefined && !finished;
    },
    async send() {
      sent = true;
      beforeWrite.pass();
      await Promise.race([arrived.promise, confirmed.then(() => Promise.reject(new Error('it was not sent')))]);
    },
    called() {
      calls += 1;
      if (calls > 1) throw new Error('an attempt was sent twice');
      arrived.resolve();
      return response.promise;
    },
    plan(answer) {
      planned = answer;
    },
    async settle() {
      if (finished) return undefined;
      finished = true;
      return deliver();
    },
    async settleUnheard() {
      if (finished) return;
      const unheard = replica.hold('after apply');
      const next = replica.hold('delay');
      const done = deliver().then(
        () => 'done' as const,
        () => 'told' as const,
      );
      const first = await Promise.race([unheard.reached.then(() => 'committed' as const), done]);
      finished = first !== 'committed'; // the record said all of it already
      if (finished) return;
      unheard.fail(new StoreUnavailable(true));
      await next.reached;
      retry = next;
    },
  };
}
