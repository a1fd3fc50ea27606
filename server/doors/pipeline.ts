import type { Message } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { CallError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Authenticator } from '../lifecycle/ports.ts';
import type { Circumstances } from './classify.ts';
import { classify } from './classify.ts';
import { bearerCredential, unauthenticated } from './credential.ts';
import { Failure } from './failure.ts';
import { faultOf } from './request-faults.ts';
import { assertRole } from './roles.ts';
import type { Rpc } from './rpc/rpc.ts';

/** One call, as either door sees it. */
export interface Call {
  readonly requestId: string;
  readonly authorization: string | undefined;
  /** Fires with a CallerGone when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

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
  run(rpc: Rpc, principal: Principal, request: Message, call: Call): Promise<Message>;
  /** The Failure of something that a door itself met before `run` (effect NONE), or after it. */
  fail(rpc: Rpc, call: Call, thrown: unknown, when: 'before' | 'after'): Failure;
  /** Admits nobody from now on; resolves when no handler is running. */
  drain(): Promise<void>;
}

export function createPipeline(authenticator: Authenticator, logger: Logger): Pipeline {
  const running = new Set<Promise<unknown>>();
  let draining = false;

  async function admit(rpc: Rpc, call: Call): Promise<Principal> {
    try {
      if (draining) throw stopping();
      const principal = await authenticator.authenticate(bearerCredential(call.authorization));
      if (principal === undefined) throw unauthenticated();
      assertRole(principal, rpc.method.name, rpc.roles);
      return principal;
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'before');
    }
  }

  async function run(rpc: Rpc, principal: Principal, request: Message, call: Call): Promise<Message> {
    const { signal } = call;
    let work: Promise<Message>;
    try {
      const fault = faultOf(rpc.method.input, request);
      if (fault !== undefined) throw fault;
      signal.throwIfAborted();
      work = rpc.handle(principal, request, signal);
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'before');
    }
    running.add(work);
    const done = () => running.delete(work);
    work.then(done, done);
    try {
      return await answerOrLeave(work, signal, (thrown) => logAbandoned(rpc, call, thrown));
    } catch (thrown) {
      throw fail(rpc, call, thrown, 'after', request);
    }
  }

  function fail(rpc: Rpc, call: Call, thrown: unknown, when: 'before' | 'after', request?: Message): Failure {
    if (thrown instanceof Failure) return thrown;
    const failure = classify(thrown, circumstancesOf(rpc, call, when, request));
    const bindings = {
      requestId: call.requestId,
      rpc: rpc.method.name,
      code: failure.detail?.code ?? Code[failure.code],
    };
    const foreseen = failure.detail === undefined || (thrown instanceof CallError && thrown.cause === undefined);
    if (foreseen) logger.debug({ ...bindings, message: failure.message }, 'call refused');
    else logger.error({ ...bindings, err: thrown }, 'call failed');
    return failure;
  }

  function logAbandoned(rpc: Rpc, call: Call, thrown: unknown): void {
    const bindings = { requestId: call.requestId, rpc: rpc.method.name };
    if (thrown === undefined) logger.debug(bindings, 'call finished after its caller had left');
    else if (thrown === call.signal.reason) logger.debug(bindings, 'call stopped because its caller had left');
    else if (thrown instanceof CallError)
      logger.info({ ...bindings, code: thrown.code }, 'call refused after its caller had left');
    else logger.error({ ...bindings, err: thrown }, 'call failed after its caller had left');
  }

  async function drain(): Promise<void> {
    draining = true;
    while (running.size > 0) await Promise.allSettled(running);
  }

  return { admit, run, fail, drain };
}

/** What a call may have left behind: nothing before its handler began, and nothing ever of one without side effects. */
function circumstancesOf(rpc: Rpc, call: Call, when: 'before' | 'after', request?: Message): Circumstances {
  const harmless = when === 'before' || rpc.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return {
    requestId: call.requestId,
    signal: call.signal,
    effect: harmless ? 'NONE' : 'UNKNOWN',
    waysToFindOut: (request !== undefined && rpc.waysToFindOut?.(request)) || [],
  };
}

/** The work's answer, or the signal's reason if that comes first; then `left` is told how the work ended. */
function answerOrLeave<T>(work: Promise<T>, signal: AbortSignal, left: (thrown?: unknown) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      reject(signal.reason);
      work.then(() => left(), left);
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    const stay = () => signal.removeEventListener('abort', leave);
    work.then(
      (value) => {
        stay();
        resolve(value);
      },
      (thrown: unknown) => {
        stay();
        reject(thrown);
      },
    );
  });
}

function stopping(): CallError {
  return new CallError('UNAVAILABLE', {
    message: 'This server is stopping and takes no new calls. Nothing was recorded and nothing ran.',
    retryable: true,
  });
}
