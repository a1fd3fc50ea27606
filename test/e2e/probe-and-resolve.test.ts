import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ProbeDisposition } from '@tether/proto/tether/v1/probe_disposition_pb.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ActionId } from '../../server/domain/action.ts';
import { nameOf } from '../faults/name-of.ts';
import { passMoment } from '../lifecycle/backdate.ts';
import { answers } from '../support/endpoint.ts';
import { type Business, idOf, keyOf, openBusiness, patience, proposal, type Replica, read } from './business.ts';
import { holdSweep, letSweep, sweepAtOnce } from './sweeps.ts';
import { refusal, standing, status, story } from './told.ts';

vi.setConfig({ testTimeout: 90_000 });

let business: Business;
let server: Replica;
beforeAll(async () => {
  business = await openBusiness();
  server = await business.replica();
});
afterEach(() => letSweep(business.database, 'probe_doubts'));
afterAll(() => business.close());

interface Doubt {
  readonly ticket: string;
  readonly id: ActionId;
}

/** A write whose answer was lost, with or without its effect. */
async function doubt(tool: string, applied: boolean, at: Replica = server): Promise<Doubt> {
  const ticket = await business.ticket();
  const id = idOf((await at.agent.stage(proposal(tool, ticket))).action);
  await business.vendor.next(ticket, 'execute', [{ answer: answers.reset(applied) }]);
  expect(status(await at.approver.confirm({ actionId: id }))).toBe('INDETERMINATE');
  return { ticket, id };
}

async function standsAs({ id }: Doubt): Promise<string> {
  return standing(await read(server, id));
}

async function writes({ ticket }: Doubt): Promise<number> {
  return (await business.vendor.calls(ticket)).length;
}

describe('the sweep', () => {
  test('asks by itself, and what it hears settles the doubt', async () => {
    const landed = await doubt('comment', true);
    await expect.poll(() => standsAs(landed), patience).toBe('SUCCEEDED/APPLIED');
    const { events } = await server.approver.listEvents({ actionId: landed.id });
    expect(await story(server, landed.id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'PROBED']);
    expect([events.at(-1)?.actor, events.at(-1)?.note]).toEqual([undefined, 'EXECUTED']);
    expect((await business.vendor.probes(keyOf(landed.id))).map(({ tool, attempt }) => [tool, attempt])).toEqual([
      ['comment', 1],
    ]);
    expect(await writes(landed)).toBe(1);
  });

  test('leaves it when an endpoint is not declared to answer', async () => {
    const landed = await doubt('archive_ticket', true);
    const probed = await doubt('comment', true);
    await expect.poll(() => standsAs(probed), patience).toBe('SUCCEEDED/APPLIED');
    expect(await standsAs(landed)).toBe('INDETERMINATE/UNKNOWN');
    expect(await business.vendor.probes(keyOf(landed.id))).toEqual([]);
    expect(await refusal(server.approver.probeNow({ actionId: landed.id }))).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('two replicas', () => {
  test('share what is due: each doubt is asked about once, however many sweeps run at once', async () => {
    await business.replica();
    await holdSweep(business.database, 'probe_doubts');
    const doubts = await Promise.all(Array.from({ length: 30 }, () => doubt('comment', true)));
    await business.database.query(`update action set next_probe_at = now() where next_probe_at is not null`);
    await sweepAtOnce(business.database, 'probe_doubts', 6);
    const all = () => Promise.all(doubts.map(standsAs));
    await expect.poll(all, patience).toEqual(doubts.map(() => 'SUCCEEDED/APPLIED'));
    const asked = await Promise.all(doubts.map(({ id }) => business.vendor.probes(keyOf(id))));
    expect(asked.map(({ length }) => length)).toEqual(doubts.map(() => 1));
    expect(await Promise.all(doubts.map(writes))).toEqual(doubts.map(() => 1));
  });

  test('finish for each other: what one of them left in doubt when it was killed, the other one asks about', async () => {
    const dying = await business.replica();
    await holdSweep(business.database, 'probe_doubts');
    const doubts = await Promise.all(Array.from({ length: 3 }, () => doubt('comment', true, dying)));
    await dying.process.kill();
    await letSweep(business.database, 'probe_doubts');
    const all = () => Promise.all(doubts.map(standsAs));
    await expect.poll(all, patience).toEqual(doubts.map(() => 'SUCCEEDED/APPLIED'));
  });
});

describe('"not executed"', () => {
  async function asked({ id }: Doubt): Promise<[string, boolean, string]> {
    const { disposition, settled, action } = await server.approver.probeNow({ actionId: id });
    return [nameOf(ProbeDisposition, disposition), settled, standing(action)];
  }

  test('is not believed until 30 s after the deadline, and then frees the action for another attempt', async () => {
    await holdSweep(business.database, 'probe_doubts');
    const lost = await doubt('comment', false);
    expect(await asked(lost)).toEqual(['NOT_EXECUTED', false, 'INDETERMINATE/UNKNOWN']);
    expect((await server.approver.probeNow({ actionId: lost.id })).nextProbeAt).toBeDefined();
    await passMoment(business.database, lost.id, 1, 'deadline');
    expect(await asked(lost)).toEqual(['NOT_EXECUTED', false, 'INDETERMINATE/UNKNOWN']);
    await passMoment(business.database, lost.id, 1, 'lease');
    expect(await asked(lost)).toEqual(['NOT_EXECUTED', true, 'PENDING/NONE']);
    expect(await refusal(server.approver.probeNow({ actionId: lost.id }))).toMatchObject({ code: 'NOT_IN_DOUBT' });
    expect(await writes(lost)).toBe(1);

    const confirmed = await server.approver.confirm({ actionId: lost.id });
    expect([status(confirmed), standing(confirmed.action)]).toEqual(['EXECUTED', 'SUCCEEDED/APPLIED']);
    const calls = await business.vendor.calls(lost.ticket);
    expect(calls.map((call) => [call.requestId, call.attempt])).toEqual([
      [keyOf(lost.id), 1],
      [keyOf(lost.id), 2],
    ]);
    expect(await business.vendor.applied(keyOf(lost.id))).toBe(1);
  });

  test('is believed by the sweep as well, once it is time', async () => {
    const lost = await doubt('comment', false);
    await passMoment(business.database, lost.id, 1, 'lease');
    await expect.poll(() => standsAs(lost), patience).toBe('PENDING/NONE');
    expect(await writes(lost)).toBe(1);
  });

  test('is not what a vendor says who is still at it', async () => {
    await holdSweep(business.database, 'probe_doubts');
    const ticket = await business.ticket();
    const id = idOf((await server.agent.stage(proposal('close_ticket', ticket))).action);
    await business.vendor.next(ticket, 'execute', [{ held: true }]);
    expect(status(await server.approver.confirm({ actionId: id }))).toBe('INDETERMINATE');
    await passMoment(business.database, id, 1, 'lease');
    expect(await asked({ id, ticket })).toEqual(['IN_PROGRESS', false, 'INDETERMINATE/UNKNOWN']);
    await business.vendor.letGo(ticket);
    await expect.poll(() => business.vendor.applied(keyOf(id)), patience).toBe(1);
    expect(await asked({ id, ticket })).toEqual(['EXECUTED', true, 'SUCCEEDED/APPLIED']);
  });
});

describe('a person who looked', () => {
  const said = (
    { id }: Doubt,
    landed: boolean,
    over: { resultJson?: string; observedAt?: Date; attempts?: number } = {},
  ) =>
    server.approver.resolve({
      actionId: id,
      landed,
      note: 'looked at the till',
      resultJson: over.resultJson,
      expectedAttempts: over.attempts ?? 1,
      observedAt: timestampFromDate(over.observedAt ?? new Date()),
    });

  test('too early for "not landed" is told how long to wait; later it is believed, and the same word again is a replay', async () => {
    const lost = await doubt('archive_ticket', false);
    const early = await refusal(said(lost, false));
    expect(early).toMatchObject({ code: 'OUTCOME_INDETERMINATE', field: 'observed_at', status: 'FailedPrecondition' });
    expect(Number(early.retryAfter?.seconds)).toBeGreaterThan(30);
    expect(Number(early.retryAfter?.seconds)).toBeLessThanOrEqual(41);
    expect(await standsAs(lost)).toBe('INDETERMINATE/UNKNOWN');

    const before = new Date();
    await passMoment(business.database, lost.id, 1, 'lease');
    // What counts is when they looked, not when they say so.
    const stale = new Date(before.getTime() - 60_000);
    expect(await refusal(said(lost, false, { observedAt: stale }))).toMatchObject({ code: 'OUTCOME_INDETERMINATE' });
    const settled = await said(lost, false);
    expect([standing(settled.action), settled.idempotentReplay]).toEqual(['PENDING/NONE', false]);
    const again = await said(lost, false);
    expect([standing(again.action), again.idempotentReplay]).toEqual(['PENDING/NONE', true]);
    expect(await story(server, lost.id)).toEqual(['STAGED', 'CLAIMED', 'SETTLED', 'RESOLVED']);
    expect(await writes(lost)).toBe(1);
    expect(status(await server.approver.confirm({ actionId: lost.id }))).toBe('EXECUTED');
  });

  test('and found it landed settles it with what they saw; the other word afterwards is ACTION_SETTLED', async () => {
    const landed = await doubt('archive_ticket', true);
    const resultJson = '{"archived_at":"2026-01-01T00:00:00Z","number":12345678901234567890}';
    const settled = await said(landed, true, { resultJson });
    expect([standing(settled.action), settled.idempotentReplay]).toEqual(['SUCCEEDED/APPLIED', false]);
    expect(settled.action?.needsAttention).toBe(false);
    expect((await said(landed, true, { resultJson })).idempotentReplay).toBe(true);
    const other = await refusal(said(landed, false));
    expect(other).toMatchObject({ code: 'ACTION_SETTLED', status: 'FailedPrecondition', acceptedJson: ['true'] });
    const replayed = await server.approver.confirm({ actionId: landed.id });
    expect([status(replayed), replayed.resultJson]).toEqual(['REPLAYED', resultJson]);
    const { events } = await server.approver.listEvents({ actionId: landed.id });
    expect(events.at(-1)).toMatchObject({ note: 'landed: looked at the till', actor: { userId: 'acme-approver' } });
    expect(await writes(landed)).toBe(1);
  });

  test('is refused when another attempt was made since, when they looked in the future, and when nothing is in doubt', async () => {
    const lost = await doubt('archive_ticket', false);
    await business.vendor.next(lost.ticket, 'execute', [{ answer: answers.reset() }]);
    const again = await server.approver.confirm({ actionId: lost.id, acknowledgeIndeterminate: true });
    expect(status(again)).toBe('INDETERMINATE');
    expect(await refusal(said(lost, true))).toMatchObject({
      code: 'OUTCOME_INDETERMINATE',
      field: 'expected_attempts',
      acceptedJson: ['2'],
    });
    const tomorrow = new Date(Date.now() + 86_400_000);
    expect(await refusal(said(lost, true, { attempts: 2, observedAt: tomorrow }))).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'observed_at',
    });
    expect(await standsAs(lost)).toBe('INDETERMINATE/UNKNOWN');

    const ticket = await business.ticket();
    const calm = { ticket, id: idOf((await server.agent.stage(proposal('archive_ticket', ticket))).action) };
    expect(status(await server.approver.confirm({ actionId: calm.id }))).toBe('EXECUTED');
    expect(await refusal(said(calm, false))).toMatchObject({ code: 'NOT_IN_DOUBT' });
  });
});
