import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrations } from '../../server/store/migrations/all.ts';
import { createTwoRoles, type TwoRoles } from '../support/two-roles.ts';
import { tether } from './run.ts';

const names = migrations.map(({ name }) => name);

let roles: TwoRoles;
beforeEach(async () => {
  roles = await createTwoRoles();
});
afterEach(() => roles.drop());

const migrate = (...args: string[]) =>
  tether(['migrate', ...args], { DATABASE_URL: roles.appUrl, TETHER_OWNER_DATABASE_URL: roles.ownerUrl });

describe('tether migrate', { timeout: 120_000 }, () => {
  test('shows what is pending and changes nothing, then does it, says what it did, and has nothing to do again', async () => {
    const before = await migrate('--status');
    expect(before).toMatchObject({ code: 1, err: '' });
    for (const name of [...names, 'the job queue']) expect(before.out).toMatch(new RegExp(`^pending +${name}$`, 'm'));
    expect(
      await roles.query(`select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`),
    ).toEqual([]);

    const done = await migrate();
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain(`Applied ${names.join(', ')}.`);
    expect(done.out).toContain(`grant select, insert on public.event to ${roles.app}`);
    expect(done.out).toContain(`runs as ${roles.app}, which PostgreSQL does not let change the audit trail`);

    const again = JSON.parse((await migrate('--json')).out);
    expect(again).toEqual({
      applied: [],
      app_role: roles.app,
      rights: [],
      trail: { guarded_by: 'role', ways: [], triggers_missing: [] },
    });
    const after = await migrate('--status', '--json');
    expect(after.code).toBe(0);
    expect(JSON.parse(after.out)).toEqual({
      current: true,
      applied: names.map((name) => ({ name, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) })),
      pending: [],
      newer: [],
    });
  });

  test('says so when there is but one role, and what that means', async () => {
    const { out, code } = await tether(['migrate'], { DATABASE_URL: roles.ownerUrl });
    expect(code).toBe(0);
    expect(out).toContain('it owns admin_event and event: triggers stop mistakes only');
  });

  test('leaves a schema alone that is newer than it is', async () => {
    await migrate();
    await roles.query(`insert into migration (name) values ('9999-later')`);
    await roles.query(`delete from migration where name = '${names.at(-1)}'`);
    const { code, err } = await migrate();
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/newer than this program: it has 9999-later.*Nothing was changed/),
    });
    expect((await migrate('--status', '--json')).out).toContain('"9999-later"');
  });

  test('says what is wrong with the database, without a password', async () => {
    const wrong = new URL(roles.ownerUrl);
    wrong.password = 'guessed-wrong';
    const told = await tether(['migrate', '--json'], {
      DATABASE_URL: roles.appUrl,
      TETHER_OWNER_DATABASE_URL: wrong.href,
    });
    expect(told).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(told.out)).toEqual({
      error: {
        ...{ code: 'UNAVAILABLE', message: expect.stringContaining('password authentication failed') },
        ...{ effect: 'NONE', retryable: true, retry_after_ms: null },
      },
    });
    expect(told.out).not.toContain('guessed-wrong');
    expect(await tether(['migrate'], { TETHER_OWNER_DATABASE_URL: roles.ownerUrl })).toMatchObject({
      code: 1,
      err: expect.stringContaining('set that too'),
    });
    expect(await migrate('--stauts')).toMatchObject({ code: 2 });
  });
});
