import { type Action, ActionState } from '@tether/proto/tether/v1/action_pb.ts';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ActionId, parseActionId } from '../../server/domain/action.ts';
import { passExpiry } from '../lifecycle/backdate.ts';
import { answers } from '../support/endpoint.ts';
import { nameOf } from './name-of.ts';
import { openPlace, type Place, proposal, until } from './place.ts';
import type { ServerProcess } from './server-process.ts';

vi.setConfig({ testTimeout: 90_000 });

let place: Place;
let server: ServerProcess;
beforeAll(async () => {
  place = await openPlace();
  server = await place.server();
});
afterAll(() => place.close());

function told(action: Action | undefined): string {
  return `${nameOf(ActionState, action?.state)}/${nameOf(Effect, action?.effect)}`;
}

async function read(id: ActionId): Promise<string> {
  const { action } = await server.approver.get({ key: { case: 'actionId', value: id } });
  return told(action);
}

/** The vendor commits, and then answers 500. */
async function doubted(proposed: ReturnType<typeof proposal>): Promise<ActionId> {
  const { action } = await server.agent.stage(proposed);
  const id = parseActionId(action?.id ?? '');
  if (id === undefined) throw new Error('no action');
  place.endpoint.answerNext(answers.broken('json', true));
  const { status } = await server.approver.confirm({ actionId: id });
  expect(status).toBe(ConfirmStatus.FAILED_RETRYABLE);
  expect(await read(id)).toBe('PENDING/UNKNOWN');
  return id;
}

async function expectHeld(proposed: ReturnType<typeof proposal>, id: ActionId): Promise<void> {
  const again = await server.agent.stage(proposed);
  expect([again.action?.id, again.idempotentReplay]).toEqual([id, true]);
  const rows = await place.database.query('select id from action where arguments = $1', [proposed.argumentsJson]);
  expect(rows).toEqual([{ id }]);
}

describe('a write that the vendor committed before it answered 500', () => {
  test('stays in doubt past its expiry: the same proposal finds it, and no new key is born', async () => {
    const proposed = proposal();
    const id = await doubted(proposed);
    await passExpiry(place.database, id);
    await expectHeld(proposed, id);
    await until(
      async () => {
        await place.hurrySweeps();
        return read(id);
      },
      (state) => state.startsWith('EXPIRED'),
    );
    expect(await read(id)).toBe('EXPIRED/UNKNOWN');
    await expectHeld(proposed, id);
    expect(place.endpoint.applied.filter((key) => key === id.replaceAll('-', ''))).toHaveLength(1);
  });

  test('stays in doubt when a second attempt is refused: "already void" does not mean that nothing happened', async () => {
    const proposed = proposal();
    const id = await doubted(proposed);
    place.endpoint.answerNext(answers.refusal({ code: 'already_void', message: 'The ticket is void already.' }));
    const { status, action } = await server.approver.confirm({ actionId: id });
    expect([status, told(action)]).toEqual([ConfirmStatus.REFUSED, 'REFUSED/UNKNOWN']);
    expect(action?.needsAttention).toBe(true);
    await expectHeld(proposed, id);
  });
});
