import type { GetRequest, ReplayRequest } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lookup } from '../../lifecycle/lifecycle.ts';
import { invalidRequest } from '../invalid-request.ts';
import { actionIdFromWire } from './action-id.ts';

/** Which action a read means. */
export function lookupFromWire({ key }: Pick<GetRequest | ReplayRequest, 'key'>): Lookup {
  switch (key.case) {
    case 'actionId':
      return { by: 'action-id', actionId: actionIdFromWire(key.value) };
    case 'idempotencyKey':
      return { by: 'idempotency-key', key: key.value };
    case 'requestId':
      return { by: 'request-id', requestId: key.value };
    case undefined:
      throw invalidRequest({ message: 'Exactly one of action_id, idempotency_key and request_id must be given.' });
  }
}
