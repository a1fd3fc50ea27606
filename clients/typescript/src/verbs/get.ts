import type { GetRequest } from '@tether/proto/clients/tether/v1/action_service_pb.ts';
import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import { type Action, actionOf } from '../wire/action.ts';

/** Which action: by its id, by a key that your user gave to confirm, or by a request id that your credential gave to stage. */
export type Lookup =
  | { readonly actionId: string; readonly idempotencyKey?: undefined; readonly requestId?: undefined }
  | { readonly idempotencyKey: string; readonly actionId?: undefined; readonly requestId?: undefined }
  | { readonly requestId: string; readonly actionId?: undefined; readonly idempotencyKey?: undefined };

export interface Got {
  readonly action: Action;
  /** The exact text for the model's transcript. */
  readonly modelJson: string;
}

export async function get(connection: Connection, input: Lookup, options?: CallOptions): Promise<Got> {
  const key = lookupKey(input);
  const answer = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.actions.get({ key }, rpc) },
    options,
  );
  return { action: actionOf(answer), modelJson: answer.modelJson };
}

/** The key of Get and Replay. */
export function lookupKey({ actionId, idempotencyKey, requestId }: Lookup): GetRequest['key'] {
  if (actionId !== undefined) return { case: 'actionId', value: actionId };
  if (idempotencyKey !== undefined) return { case: 'idempotencyKey', value: idempotencyKey };
  return { case: 'requestId', value: requestId };
}
