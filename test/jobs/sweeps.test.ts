import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installQueue } from '../../server/jobs/install-queue.ts';
import type { JobsOptions } from '../../server/jobs/jobs-options.ts';
import { type Jobs, startJobs } from '../../server/jobs/start-jobs.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { administer } from '../support/database-server.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

let database: TestDatabase;
let running: Jobs[];

beforeEach(async () => {
  database = await createDatabase({ empty: true });
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((jobs) => jobs.stop()));
  await database.drop();
});

async function start(options: Pick<JobsOptions, 'tasks'> & Partial<JobsOptions>): Promise<Jobs> {
  await installQueue(database.url, silent);
  const jobs = await startJobs({ databaseUrl: database.url, everySeconds: 0.02, logger: silent, ...options });
  running.push(jobs);
  return jobs;
}

/** A sweep that counts its runs; `reached(n)` resolves when it ran n times. */
function counter() {
  let runs = 0;
  const waiting: { n: number; resolve: () => void }[] = [];
  return {
    runs: () => runs,
    sweep: async () => {
      runs++;
      for (const { n, resolve } of waiting) if (runs >= n) resolve();
      return 0;
    },
    reached: (n: number) =>
      new Promise<void>((resolve) => {
        if (runs >= n) resolve();
        else waiting.push({ n, resolve });
      }),
  };
}

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

const chain = () =>
  database.query<{ locked_by: string | null; attempts: number }>(
    `select locked_by, attempts from graphile_worker.jobs where task_identifier = 'sweep' order by id`,
  );

describe('a sweep', () => {
  test('runs again and again', async () => {
    const { sweep, reached } = counter();
    await start({ tasks: { sweep } });
    await reached(3);
  });

  test('that fails is logged, runs again, and leaves no row behind', async () => {
    const logged: unknown[] = [];
    const { sweep, reached } = counter();
    const failing = async () => {
      await sweep();
      throw new Error('the sweep broke');
    };
    const jobs = await start({
      tasks: { sweep: failing },
      logger: { ...silent, error: (line: unknown) => logged.push(line) },
    });
    await reached(3);
    await jobs.stop();
    expect(logged.length).toBeGreaterThanOrEqual(3);
    expect(logged[0]).toMatchObject({ job: 'sweep', err: new Error('the sweep broke') });
    expect(await chain()).toEqual([{ locked_by: null, attempts: 0 }]);
  });

  test('does not wait for another one that hangs', async () => {
    const hang = gate();
    const { sweep, reached } = counter();
    const hanging = async () => {
      await hang.opened;
      return 0;
    };
    await start({ tasks: { hanging, sweep } });
    await reached(3);
    hang.open();
  });
});

describe('replicas', () => {
  test('that start at once on an empty database all come up and share one chain', async () => {
    const counters = Array.from({ length: 6 }, counter);
    const replicas = await Promise.all(counters.map(({ sweep }) => start({ tasks: { sweep } })));
    await Promise.race(counters.map(({ reached }) => reached(3)));
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(await chain()).toEqual([{ locked_by: null, attempts: 0 }]);
  });

  test('take over from one that stops', async () => {
    const [first, second] = [counter(), counter()];
    const leaving = await start({ tasks: { sweep: first.sweep } });
    await first.reached(1);
    await start({ tasks: { sweep: second.sweep } });
    await leaving.stop();
    await second.reached(second.runs() + 3);
  });
});

describe('a worker that was killed while it held the job', () => {
  const kill = () =>
    database.query(
      `update graphile_worker._private_jobs set locked_by = 'killed', locked_at = now(), attempts = 1 where key = 'sweep'`,
    );

  test('does not stop the sweeps of a replica that runs already: the minute’s mending starts them again', async () => {
    const { sweep, runs, reached } = counter();
    await start({ tasks: { sweep }, everySeconds: 3_600 });
    await reached(1);
    // The chain's next job appears when the first run is over.
    await expect.poll(chain).toEqual([{ locked_by: null, attempts: 0 }]);
    await kill();

    await database.query(`select graphile_worker.add_job('mend_chains', max_attempts => 1)`);
    await reached(runs() + 1);
    await expect.poll(chain).toEqual([
      { locked_by: 'killed', attempts: 1 },
      { locked_by: null, attempts: 0 },
    ]);
  });

  test('is mended once a minute by the queue’s own clock', async () => {
    await start({ tasks: { sweep: counter().sweep } });
    const known = () => database.query('select identifier from graphile_worker._private_known_crontabs');
    await expect.poll(known).toEqual([{ identifier: 'mend_chains' }]);
  });

  test('does not stop the sweeps of a replica that starts', async () => {
    const before = counter();
    await (await start({ tasks: { sweep: before.sweep }, everySeconds: 3_600 })).stop();
    await kill();
    const after = counter();
    await start({ tasks: { sweep: after.sweep } });
    await after.reached(2);
  });

  test('leaves a row that is removed when nobody can be holding it any more', async () => {
    const { sweep, reached } = counter();
    const first = await start({ tasks: { sweep }, everySeconds: 3_600 });
    await reached(1);
    await first.stop();
    await kill();
    await database.query(`update graphile_worker._private_jobs set locked_at = now() - interval '5 hours'`);
    await start({ tasks: { sweep }, everySeconds: 3_600 });
    await reached(2);
    await expect.poll(chain).toEqual([{ locked_by: null, attempts: 0 }]);
  });
});

describe('stopping', () => {
  test('waits for the sweep that runs, and starts no other', async () => {
    const [began, finish] = [gate(), gate()];
    let ended = 0;
    const sweep = async () => {
      began.open();
      await finish.opened;
      ended++;
      return 0;
    };
    const jobs = await start({ tasks: { sweep } });
    await began.opened;
    const stopped = jobs.stop().then(() => ended);
    finish.open();
    expect(await stopped).toBe(1);
    expect(await chain()).toEqual([{ locked_by: null, attempts: 0 }]);
  });

  test('does not wait for ever for one that hangs', async () => {
    const [began, finish] = [gate(), gate()];
    const warned: unknown[] = [];
    const sweep = async () => {
      began.open();
      await finish.opened;
      return 0;
    };
    const logger = { ...silent, warn: (_: unknown, message?: string) => void warned.push(message) };
    const jobs = await start({ tasks: { sweep }, stopMs: 50, logger });
    await began.opened;
    await jobs.stop();
    expect(warned).toContain('a sweep did not end in time; another replica takes over within a minute');
    finish.open();
  });
});

test('sweeps go on after the database was away', async () => {
  const { sweep, runs, reached } = counter();
  const noticed = gate();
  await start({ tasks: { sweep }, logger: { ...silent, warn: noticed.open } });
  await reached(1);
  const name = new URL(database.url).pathname.slice(1);
  await administer(database.url, `alter database ${name} allow_connections false`);
  await administer(database.url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await noticed.opened;
  const whenAway = runs();
  await administer(database.url, `alter database ${name} allow_connections true`);
  await reached(whenAway + 3);
});

test('a database that cannot be reached at the start is an error', async () => {
  const options = { databaseUrl: 'postgres://nobody@127.0.0.1:1/none', tasks: {}, logger: silent };
  await expect(startJobs(options)).rejects.toThrow('ECONNREFUSED');
});
