/** A caller's program over all that was packed: a write is proposed, confirmed, made by the packed vendor, and told. */
import { readFileSync } from 'node:fs';
import { createTetherClient, type TetherClient, TetherError } from '@tether/client';
import { grpcTransport } from '@tether/client/node';

const keys: { agent: string; approver: string } = JSON.parse(readFileSync(process.env.KEYS ?? '', 'utf8'));
const agent: TetherClient = createTetherClient({ url: process.env.HTTP_URL ?? '', key: keys.agent });
const transport = grpcTransport({ url: `http://${process.env.GRPC_ADDRESS}` });
const approver = createTetherClient({ transport, key: keys.approver });

const { action } = await agent.stage({ tool: 'void_ticket', arguments: { ticket_id: 'T-1' } });
console.log(action.state);
const { status } = await approver.confirm({ action, acknowledgeHighRisk: true });
console.log(status);
const outcome = await agent.waitForOutcome(action);
console.log(outcome.action.state, outcome.action.effect, outcome.action.verification?.state, outcome.action.resultJson);

const refused = await agent.confirm({ action }).catch((error: unknown) => error);
console.log(refused instanceof TetherError && refused.code);
