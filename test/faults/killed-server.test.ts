import { ActionState, AttemptOutcome } from '@tether/proto/tether/v1/action_pb.ts';
import { ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import { Effect } from '@tether/proto/tether/v1/effect_pb.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseActionId } from '../../server/domain/action.ts';
import { passMoment } from '../lifecycle/backdate.ts';
import { answers } from '../support/endpoint.ts';
import { nameOf } from './name-of.ts';
import { openPlace, type Place, proposal, until } from './place.ts';
import { type ServerProcess, told } from './server-process.ts';

vi.setConfig({ testTimeout: 90_000 });

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());

async function seen({ approver }: ServerProcess, id: string): Promise<string> {
  const { action } = await approver.get({ key: { case: 'actionId', value: id } });
  const attempts = action?.attempts.map(
    ({ outcome, effect }) => `${nameOf(AttemptOutcome, outcome)}/${nameOf(Effect, effect)}`,
  );
  return `${nameOf(ActionState, action?.state)}/${nameOf(Effect, action?.effect)} [${attempts}]`;
}

const executing = 'EXECUTING/UNKNOWN [OPEN/UNKNOWN]';
const indeterminate = 'INDETERMINATE/UNKNOWN [NO_ANSWER/UNKNOWN]';

test('a server killed while the endpoint works on a write leaves it EXECUTING, then INDETERMINATE, and never sends it again', async () => {
  const { endpoint, database } = place;
  const doomed = await place.server();
  const { action } = await doomed.agent.stage(proposal());
  const id = parseActionId(action?.id ?? '');
  if (id === undefined) throw new Error('no action');
  endpoint.answerNext(answers.silence(true));
  const lost = told(doomed.approver.confirm({ actionId: id, idempotencyKey: 'k-killed' }));
  await endpoint.arrived(1);
  await doomed.kill();
  expect(await lost).toMatchObject({ kind: 'unknown' });

  const restarted = await place.server();
  expect(await seen(restarted, id)).toBe(executing);
  const byKey = await restarted.approver.get({ key: { case: 'idempotencyKey', value: 'k-killed' } });
  expect(byKey.action?.id).toBe(id);
  expect(await told(restarted.approver.confirm({ actionId: id }))).toMatchObject({ code: 'CONFIRM_IN_FLIGHT' });

  await passMoment(database, id, 1, 'lease');
  const states: string[] = [];
  await until(
    async () => {
      await place.hurrySweeps();
      const now = await seen(restarted, id);
      if (states.at(-1) !== now) states.push(now);
      return now;
    },
    (now) => now !== executing,
  );
  expect(states.filter((state) => state !== executing)).toEqual([indeterminate]);
  expect(await told(restarted.approver.confirm({ actionId: id }))).toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
  expect(await told(restarted.approver.confirm({ actionId: id, expectedAttempts: 0 }))).toMatchObject({
    response: { status: ConfirmStatus.INDETERMINATE, idempotentReplay: true },
  });
  expect(await seen(restarted, id)).toBe(indeterminate);
  expect(endpoint.calls).toHaveLength(1);
});
