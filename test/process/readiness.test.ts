import { expect, test } from 'vitest';
import type { Standing } from '../../server/lifecycle/ports/readiness.ts';
import { createReadiness } from '../../server/process/readiness.ts';

/** A database that answers when the test says so, asked as often as possible. */
function looking() {
  const asked: PromiseWithResolvers<void>[] = [];
  const waiting = new Set<() => void>();
  const said: string[] = [];
  const log = {
    info: (_: object, message: string) => void said.push(message),
    warn: (_: object, message: string) => void said.push(message),
    error: () => undefined,
  };
  let next = 0;
  const readiness = createReadiness({
    ping: () => {
      const question = Promise.withResolvers<void>();
      asked.push(question);
      for (const look of waiting) look();
      return question.promise;
    },
    catalogIsCurrent: () => true,
    log,
    everyMs: 0,
  });
  const heard: Standing['status'][] = [];
  readiness.follow(({ status }) => heard.push(status));
  return {
    readiness,
    heard,
    said,
    /** Answers the next question, and waits until there is another one. */
    async answer(sign: boolean) {
      const question = asked[next++];
      const another = new Promise<void>((resolve) => {
        const look = () => {
          waiting.delete(look);
          resolve();
        };
        if (asked.length > next) resolve();
        else waiting.add(look);
      });
      if (sign) question?.resolve();
      else question?.reject(new Error('away'));
      await another;
    },
  };
}

test('a process that prepares its database is starting, whether or not it answers', async () => {
  const { readiness, answer, heard } = looking();
  expect(readiness.standing()).toMatchObject({ status: 'starting', checks: { database: 'unreachable' } });
  await answer(true);
  expect(readiness.standing()).toMatchObject({ status: 'starting', checks: { database: 'preparing' } });
  expect(heard).toEqual([]);
  readiness.prepared();
  expect(readiness.standing()).toEqual({ status: 'ready', checks: { database: 'ok', catalog: 'ok' } });
  expect(heard).toEqual(['ready']);
  await readiness.close();
});

test('a database that goes away and comes back is told once each time, to followers and to the log', async () => {
  const { readiness, answer, heard, said } = looking();
  readiness.prepared();
  for (const sign of [true, false, false, false, false, true, true]) await answer(sign);
  expect(heard).toEqual(['ready', 'unavailable', 'ready']);
  expect(said).toEqual(['the database does not answer: not ready', 'the database answers: ready again']);
  await readiness.close();
});

test('one connection that had died is no sign that the database is away', async () => {
  const { readiness, answer, heard } = looking();
  readiness.prepared();
  for (const sign of [true, false, true, true]) await answer(sign);
  expect(heard).toEqual(['ready']);
  await readiness.close();
});

test('a process that drains is not ready any more, whatever the database says', async () => {
  const { readiness, answer, heard } = looking();
  readiness.prepared();
  await answer(true);
  readiness.drain();
  await answer(true);
  readiness.prepared();
  expect(readiness.standing().status).toBe('draining');
  expect(heard).toEqual(['ready', 'draining']);
  await readiness.close();
});
