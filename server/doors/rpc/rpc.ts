import type { DescMessage, DescMethodServerStreaming, DescMethodUnary, MessageShape } from '@bufbuild/protobuf';
import type { Alternative, CallError } from '../../domain/error.ts';
import type { Principal, Role } from '../../domain/principal.ts';

interface Common<I extends DescMessage> {
  /** Who may call it. */
  readonly roles: readonly Role[];
  /** It records and runs nothing, although the contract does not mark it so: a failure has left nothing behind. */
  readonly harmless?: true;
  /**
   * How a caller finds out what happened when this server cannot say: needed of what has side effects. `answered` counts the
   * messages of a stream that went out before.
   */
  waysToFindOut?(request: MessageShape<I>, answered: number): readonly Alternative[];
}

/** An RPC with one answer, the same behind every door. */
export interface UnaryRpc<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> extends Common<I> {
  readonly kind: 'unary';
  readonly method: DescMethodUnary<I, O>;
  /** One answer may go to several calls, so that a door need write it only once; nobody changes it. */
  readonly sharesAnswers?: true;
  /** Translates, asks the lifecycle, translates back. Throws what the lifecycle throws; the signal is the caller's. */
  handle(principal: Principal, request: MessageShape<I>, signal: AbortSignal): Promise<MessageShape<O>>;
}

/** An RPC with a stream of answers, the same behind every door. */
export interface StreamRpc<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> extends Common<I> {
  readonly kind: 'stream';
  readonly method: DescMethodServerStreaming<I, O>;
  /** As `handle`. The signal fires when the caller is gone, and when the server stops; then the stream is ended by `return`. */
  stream(principal: Principal, request: MessageShape<I>, signal: AbortSignal): AsyncIterable<MessageShape<O>>;
  /** What it is broken off with when the server stops; without it, it is waited for, and told by its signal. */
  readonly whenStopping?: () => CallError;
}

export type Rpc = UnaryRpc | StreamRpc;
