import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers } from '../support/endpoint.ts';
import { openPlace, type Place } from './place.ts';
import { type ServerProcess, told } from './server-process.ts';

let place: Place;
let server: ServerProcess;
beforeAll(async () => {
  place = await openPlace();
  server = await place.server();
});
afterAll(() => place.close());

const limit = 256 * 1024;

/** Arguments of so many bytes. */
function argumentsOf(bytes: number): string {
  const empty = JSON.stringify({ note: '', ticket_id: 'T-1' });
  return JSON.stringify({ note: 'x'.repeat(bytes - empty.length), ticket_id: 'T-1' });
}

test('arguments of 256 KiB are staged and sent byte for byte, and one more byte is refused', async () => {
  const argumentsJson = argumentsOf(limit);
  expect(Buffer.byteLength(argumentsJson)).toBe(limit);
  const { action } = await server.agent.stage({ tool: 'void_ticket', argumentsJson });
  place.endpoint.answerNext(answers.result('{"ok":true}'));
  const { status } = await server.approver.confirm({ actionId: action?.id });
  expect(status).toBe(ConfirmStatus.EXECUTED);
  expect(place.endpoint.calls.at(-1)?.argumentsJson === argumentsJson).toBe(true);
  expect(await told(server.agent.stage({ tool: 'void_ticket', argumentsJson: argumentsOf(limit + 1) }))).toMatchObject({
    kind: 'refused',
    code: 'INVALID_ARGUMENTS',
  });
});

test('a number that would change on its way is refused with its field', async () => {
  const argumentsJson = '{"ticket_id":"T-2","amount":9007199254740993}';
  expect(await told(server.agent.stage({ tool: 'void_ticket', argumentsJson }))).toMatchObject({
    kind: 'refused',
    code: 'INVALID_ARGUMENTS',
    field: 'amount',
  });
});

test('a result is returned as the endpoint sent it: to the confirm, to its repeat, to Get and to Replay', async () => {
  const result = '{ "id": 9007199254740993, "text": "\\u0000", "b":1, "a":1.0 }';
  const { action } = await server.agent.stage({ tool: 'void_ticket', argumentsJson: '{"ticket_id":"T-3"}' });
  const actionId = action?.id ?? '';
  place.endpoint.answerNext(answers.result(result));
  expect((await server.approver.confirm({ actionId })).resultJson).toBe(result);
  expect((await server.approver.confirm({ actionId })).resultJson).toBe(result);
  const key = { case: 'actionId', value: actionId } as const;
  expect((await server.approver.get({ key })).action?.resultJson).toBe(result);
  expect((await server.agent.replay({ key })).resultJson).toBe(result);
});
