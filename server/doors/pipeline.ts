import type { Message } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { CallError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Readiness } from '../lifecycle/ports/readiness.ts';
import type { CallTelemetry, WatchedCall } from '../lifecycle/ports/telemetry.ts';
import { actionIdIn } from './action-id-in.ts';
import type { Admission } from './admission/admission.ts';
import { answerOrLeave } from './answer-or-leave.ts';
import type { Call } from './call.ts';
import { CallerGone } from './caller-gone.ts';
import type { Circumstances } from './classify.ts';
import { classify } from './classify.ts';
import { Failure, statusName } from './failure.ts';
import { relay } from './relay.ts';
import { faultOf } from './request-faults.ts';
import type { Rpc, StreamRpc, UnaryRpc } from './rpc/rpc.ts';
import { withinCall } from './within-call.ts';

/**
 * The steps of every call behind both doors: authenticate → role → validate → handle → map errors. All of it throws nothing
 * but Failure. `admit` comes first and needs no request, so that a stranger's is not even parsed.
 */
export interface Pipeline {
  admit(rpc: Rpc, call: Call): Promise<Principal>;
  /**
   * Answers when the handler does, or when the caller is gone, whichever is first; a handler whose caller is gone goes on
   * (rule 5), and what comes of it is logged.
   */
  run(rpc: UnaryRpc, principal: Principal, request: Message, call: Call): Promise<Message>;
  /**
   * As `run`, answer by answer: the handler is asked for the next only when the door asks. When the caller is gone the handler
   * is ended after the step that it is in.
   */
  stream(rpc: StreamRpc, principal: Principal, request: Message, call: Call): AsyncGenerator<Message, void>;
  /** The Failure of something that a door itself met before `run` (effect NONE), or after it. */
  fail(rpc: Rpc, call: Call, thrown: unknown, when: 'before' | 'after'): Failure;
  /**
   * Admits nobody from now on, breaks off the streams that have no end of their own; resolves when no handler is running.
   */
  drain(): Promise<void>;
}

export interface PipelineOptions {
  readonly admission: Admission;
  readonly readiness: Readiness;
  readonly telemetry: CallTelemetry;
  readonly logger: Logger;
}

export function createPipeline({ admission, readiness, telemetry, logger }: PipelineOptions): Pipeline {
  const running = new Set<Promise<unknown>>();
  const streams = new Set<() => void>();
  let draining = false;

  function watchedOf({ method }: Rpc, call: Call): WatchedCall {
    const { door, requestId, incoming } = call;
    call.watched ??= telemetry.call({ rpc: `${method.parent.name}/${method.name}`, door, requestId, incoming });
    return call.watched;
  }

  async function admit(rpc: Rpc, call: Call): Promise<Principal> {
    watchedOf(rpc, call);
    try {
      if (draining) throw stopping();
      if (readiness.standing().status === 'starting') throw starting();
      return await admission.enter(rpc, call);
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'before');
    }
  }

  async function run(rpc: UnaryRpc, principal: Principal, request: Message, call: Call): Promise<Message> {
    const { signal } = call;
    const watch = watchedOf(rpc, call);
    let work: Promise<Message>;
    try {
      assertValid(rpc, request);
      signal.throwIfAborted();
      tellAction(watch, request);
      work = watch.within(() => rpc.handle(principal, request, signal));
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'before');
    }
    keepTrack(work);
    try {
      const answer = await answerOrLeave(work, signal, (thrown) => logAbandoned(rpc, call, thrown));
      tellAction(watch, answer);
      watch.ended('OK');
      return answer;
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'after', { request, answered: 0 });
    }
  }

  async function* stream(
    rpc: StreamRpc,
    principal: Principal,
    request: Message,
    call: Call,
  ): AsyncGenerator<Message, void> {
    /** Fires for the handler. */
    const told = new AbortController();
    /** Fires when the handler is not waited for any more. */
    const leaving = new AbortController();
    const gone = () => {
      told.abort(call.signal.reason);
      leaving.abort(call.signal.reason);
    };
    const stop = () => {
      const reason = rpc.whenStopping?.() ?? stopping();
      told.abort(reason);
      if (rpc.whenStopping !== undefined) leaving.abort(reason);
    };
    const watch = watchedOf(rpc, call);
    let source: AsyncIterable<Message>;
    let uncount: (() => void) | undefined;
    try {
      assertValid(rpc, request);
      call.signal.throwIfAborted();
      if (draining) throw stopping();
      if (rpc.whenStopping !== undefined) uncount = admission.streams.open(principal);
      source = withinCall(watch, rpc.stream(principal, request, told.signal));
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'before');
    }
    call.signal.addEventListener('abort', gone, { once: true });
    call.closing?.addEventListener('abort', stop, { once: true });
    streams.add(stop);
    const left = (thrown?: unknown) => {
      const cut = thrown === undefined || thrown === leaving.signal.reason;
      if (call.signal.aborted || !cut) logAbandoned(rpc, call, thrown);
    };
    const { answers, ended } = relay(source, { signal: leaving.signal, left });
    keepTrack(ended, () => {
      call.signal.removeEventListener('abort', gone);
      call.closing?.removeEventListener('abort', stop);
      streams.delete(stop);
      uncount?.();
    });
    if (call.closing?.aborted) stop();
    let answered = 0;
    try {
      for await (const answer of answers) {
        if (leavesNothing(rpc)) await admission.assertStill(principal, rpc, call);
        answered += 1;
        try {
          yield answer;
        } catch {
          // What a door throws in here is its connection's trouble, told a moment before the signal tells it.
          told.abort(new CallerGone('hung-up'));
          throw new Failure(Code.Canceled, 'The answer found nobody.');
        }
        // Here the answer was of something done. The handler does no more, and says so.
        if (!leavesNothing(rpc))
          await admission.assertStill(principal, rpc, call).catch((thrown: unknown) => told.abort(thrown));
      }
      watch.ended('OK');
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'after', { request, answered });
    }
  }

  function keepTrack(work: Promise<unknown>, over?: () => void): void {
    running.add(work);
    const done = () => {
      running.delete(work);
      over?.();
    };
    work.then(done, done);
  }

  function fail(rpc: Rpc, call: Call, thrown: unknown, when: 'before' | 'after', progress?: Progress): Failure {
    if (thrown instanceof Failure) {
      watchedOf(rpc, call).ended(statusName(thrown.code), thrown.detail?.code);
      return thrown;
    }
    const failure = classify(thrown, circumstancesOf(rpc, call, when, progress));
    watchedOf(rpc, call).ended(statusName(failure.code), failure.detail?.code);
    const bindings = bindingsOf(rpc, call, progress?.request);
    const code = failure.detail?.code ?? statusName(failure.code);
    const foreseen = failure.detail === undefined || (thrown instanceof CallError && thrown.cause === undefined);
    // Its words repeat what the caller sent.
    if (foreseen) logger.debug({ ...bindings, code }, 'call refused');
    else logger.error({ ...bindings, code, err: thrown }, 'call failed');
    return failure;
  }

  function logAbandoned(rpc: Rpc, call: Call, thrown: unknown): void {
    const bindings = bindingsOf(rpc, call);
    if (thrown === undefined) logger.debug(bindings, 'call finished after its caller had left');
    else if (thrown === call.signal.reason) logger.debug(bindings, 'call stopped because its caller had left');
    else if (thrown instanceof CallError)
      logger.info({ ...bindings, code: thrown.code }, 'call refused after its caller had left');
    else logger.error({ ...bindings, err: thrown }, 'call failed after its caller had left');
  }

  async function drain(): Promise<void> {
    draining = true;
    for (const stop of streams) stop();
    while (running.size > 0) await Promise.allSettled(running);
  }

  return { admit, run, stream, fail, drain };
}

function bindingsOf(rpc: Rpc, { requestId }: Call, request?: Message): Record<string, string | undefined> {
  return { request_id: requestId, rpc: rpc.method.name, action_id: request && actionIdIn(request) };
}

function tellAction(watch: WatchedCall, message: Message): void {
  const actionId = actionIdIn(message);
  if (actionId !== undefined) watch.about(actionId);
}

/** How far a call had come. */
interface Progress {
  readonly request: Message;
  /** Messages of a stream that went out. */
  readonly answered: number;
}

function assertValid(rpc: Rpc, request: Message): void {
  const fault = faultOf(rpc.method.input, request);
  if (fault !== undefined) throw fault;
}

function leavesNothing({ harmless, method }: Rpc): boolean {
  return harmless === true || method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
}

/** What a call may have left behind: nothing before its handler began, and nothing ever of one without side effects. */
function circumstancesOf(rpc: Rpc, call: Call, when: 'before' | 'after', progress?: Progress): Circumstances {
  return {
    requestId: call.requestId,
    signal: call.signal,
    effect: when === 'before' || leavesNothing(rpc) ? 'NONE' : 'UNKNOWN',
    waysToFindOut: (progress !== undefined && rpc.waysToFindOut?.(progress.request, progress.answered)) || [],
  };
}

function starting(): CallError {
  return new CallError('UNAVAILABLE', {
    message:
      'This server is starting: its database is not there or not prepared yet. Nothing was recorded and nothing ran.',
    retryable: true,
    retryAfterSeconds: 1,
  });
}

function stopping(): CallError {
  return new CallError('UNAVAILABLE', {
    message: 'This server is stopping and takes no new calls. Nothing was recorded and nothing ran.',
    retryable: true,
  });
}
