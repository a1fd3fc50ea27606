import { create, toBinary } from '@bufbuild/protobuf';
import { ActionSchema } from '@tether/proto/tether/v1/action_pb.ts';
import type { ListRequestSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ActionService, ListResponseSchema } from '@tether/proto/tether/v1/action_service_pb.ts';
import type { Lifecycle } from '../../lifecycle/lifecycle.ts';
import { actionToWire } from '../../wire/action.ts';
import { filterFromWire } from '../proto/filter.ts';
import { fitting, pageBytes } from '../proto/page.ts';
import { rolesOfActionService } from '../roles.ts';
import type { UnaryRpc } from './rpc.ts';

export function listRpc(lifecycle: Lifecycle): UnaryRpc<typeof ListRequestSchema, typeof ListResponseSchema> {
  return {
    kind: 'unary',
    method: ActionService.method.list,
    roles: rolesOfActionService.list,
    async handle(principal, { filter, pageSize, cursor }) {
      const listed = await lifecycle.list(principal, { filter: filterFromWire(filter), pageSize, cursor });
      const whole = listed.items.map(({ action, error }) => actionToWire(action, error));
      const actions = fitting(whole, (action) => toBinary(ActionSchema, action).byteLength, pageBytes);
      // A cursor of List is the id of the last action that was told.
      const nextCursor = actions.length < whole.length ? actions.at(-1)?.id : listed.nextCursor;
      return create(ListResponseSchema, { actions: [...actions], nextCursor });
    },
  };
}
