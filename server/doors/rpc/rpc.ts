import type { DescMessage, DescMethodUnary, MessageShape } from '@bufbuild/protobuf';
import type { Alternative } from '../../domain/error.ts';
import type { Principal, Role } from '../../domain/principal.ts';

/** One RPC, the same behind every door. */
export interface Rpc<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  readonly method: DescMethodUnary<I, O>;
  /** Who may call it. */
  readonly roles: readonly Role[];
  /** Translates, asks the lifecycle, translates back. Throws what the lifecycle throws; the signal is the caller's. */
  handle(principal: Principal, request: MessageShape<I>, signal: AbortSignal): Promise<MessageShape<O>>;
  /** How a caller finds out what happened when this server cannot say: needed of what has side effects. */
  waysToFindOut?(request: MessageShape<I>): readonly Alternative[];
}
