import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { StopKind, StopSchema, type Stop as WireStop } from '@tether/proto/tether/v1/stop_pb.ts';
import * as domain from '../../domain/stop.ts';
import type { Tie } from '../../wire/tie.ts';
import { invalidRequest } from '../invalid-request.ts';

const kindToWire: Tie<domain.StopKind, typeof StopKind> = {
  TOOL: StopKind.TOOL,
  ENDPOINT: StopKind.ENDPOINT,
  TENANT: StopKind.TENANT,
};

export function stopToWire({ tenantId, kind, name, reason, by, at }: domain.Stop): WireStop {
  return create(StopSchema, {
    tenantId,
    kind: kindToWire[kind],
    name,
    reason,
    stoppedBy: { credentialId: by.credentialId, userId: by.userId },
    stoppedAt: timestampFromDate(at),
  });
}

/** Throws INVALID_REQUEST for a number that is no kind. */
export function stopKindFromWire(kind: StopKind): domain.StopKind {
  const found = domain.stopKinds.find((each) => kindToWire[each] === kind);
  if (found !== undefined) return found;
  throw invalidRequest({ message: 'kind must be one of tool, endpoint and tenant.', field: 'kind' });
}
