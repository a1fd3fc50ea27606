/** The harness with generated code alone, over gRPC: what a language without a client of ours does. README.md tells the steps. */
import { type Client, createClient, type Interceptor } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import { ActionService } from '@tether/proto/tether/v1/action_service_pb.ts';
import { ToolService } from '@tether/proto/tether/v1/tool_service_pb.ts';
import { nameOf } from '../../faults/name-of.ts';

const authorize: Interceptor = (next) => (request) => {
  request.header.set('authorization', `Bearer ${process.env.HARNESS_AGENT_KEY}`);
  return next(request);
};
const transport = createGrpcTransport({
  baseUrl: `http://${process.env.HARNESS_GRPC_ADDRESS}`,
  interceptors: [authorize],
});
const tools = createClient(ToolService, transport);
const actions = createClient(ActionService, transport);

const read = await tools.call({ tool: 'get_ticket', argumentsJson: '{"ticket_id":"T-1"}' });
const { status } = JSON.parse(read.outcome.case === 'resultJson' ? read.outcome.value : '{}');
console.log(`read get_ticket T-1: ${status}`);

const leaving = new AbortController();
const seen = settledIn(actions, leaving.signal);
for (const ticket of ['T-1', 'T-2', 'T-3', 'T-4']) {
  const staged = await tools.call({ tool: 'void_ticket', argumentsJson: JSON.stringify({ ticket_id: ticket }) });
  if (staged.outcome.case !== 'action') throw new Error('a write was not staged');
  const { id, state } = staged.outcome.value;
  console.log(`propose void_ticket ${ticket}: ${nameOf(ActionState, state)}`);

  for (;;) {
    const next = await seen.next();
    if (next.done) throw new Error('the watch ended');
    if (next.value === id) break;
  }
  const told = JSON.parse((await actions.get({ key: { case: 'actionId', value: id } })).modelJson);
  const came =
    'error' in told ? `error=${told.error} retryable=${told.retryable}` : `result.status=${told.result.status}`;
  console.log(`outcome void_ticket ${ticket}: ${told.state} effect=${told.effect} ${came}`);
}
leaving.abort();

/** The ids of actions that wait for nobody and are not under way, as the stream tells them. */
async function* settledIn(client: Client<typeof ActionService>, signal: AbortSignal): AsyncGenerator<string> {
  const open: readonly ActionState[] = [ActionState.PENDING, ActionState.EXECUTING];
  for await (const { update } of client.watch({}, { signal })) {
    const action =
      update.case === 'snapshot' ? update.value : update.case === 'change' ? update.value.action : undefined;
    if (action !== undefined && !open.includes(action.state)) yield action.id;
  }
}
