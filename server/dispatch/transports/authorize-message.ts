import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { AuthorizeRequestSchema, AuthorizeResponseSchema, Authorizer } from '@tether/proto/tether/v1/authorizer_pb.ts';
import { errorOf } from '../../domain/outcome.ts';
import { actionToWire } from '../../wire/action.ts';
import { petitionId } from '../signing/message-id.ts';
import type { Petition, Verdict } from '../transport.ts';
import { fromProtoError } from './proto-error.ts';
import type { ProtoMessage } from './unary.ts';

/** `Authorizer.Authorize`. An empty answer is one that does not allow. */
export const authorizeMessage: ProtoMessage<Petition, Verdict> = {
  request(petition) {
    const { observed, approver } = petition;
    const { credentialId, userId } = approver;
    const request = create(AuthorizeRequestSchema, {
      action: actionToWire(observed.action, errorOf(observed)),
      approver: { credentialId, userId },
    });
    const message = toBinary(AuthorizeRequestSchema, request);
    return { path: authorizePath, message, id: () => petitionId(petition) };
  },
  reply(bytes) {
    const { allowed, reason } = fromBinary(AuthorizeResponseSchema, bytes);
    return { kind: 'decided', allowed, reason: reason && fromProtoError(reason) };
  },
};

const authorizePath = `/${Authorizer.typeName}/${Authorizer.method.authorize.name}`;
