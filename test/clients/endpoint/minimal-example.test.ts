/** The program at the top of the README, as it is pasted: a process of its own over an empty database. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseCatalog } from '../../../server/catalog/parse-catalog.ts';
import { probeCall, readCall, writeCall } from '../../dispatch/calls.ts';
import { closedPort } from '../../dispatch/raw-server.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { newKey } from './ledger-calls.ts';
import { newSecret, tetherTo } from './shop.ts';

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const program = readFileSync(at('examples/endpoint-minimal/main.ts'), 'utf8');

async function start(database: TestDatabase, secret: string) {
  const port = await closedPort();
  const { PATH = '' } = process.env;
  const env = { PATH, DATABASE_URL: database.url, SIGNING_SECRET: secret, PORT: String(port) };
  const child = fork(at('examples/endpoint-minimal/main.ts'), { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  if (child.stdout === null) throw new Error('the program has no output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  expect(line).toBe(`ready on port ${port}`);
  return { url: `http://127.0.0.1:${port}`, transport: 'json' } as const;
}

const voiding = (ticket: string) =>
  writeCall({
    ...{ requestId: newKey(), arguments: JSON.stringify({ ticket_id: ticket }) },
    deadline: new Date(Date.now() + 60_000),
  });

test('the program of the README is this one, and has forty lines', () => {
  const readme = readFileSync(at('clients/endpoint/README.md'), 'utf8');
  expect(/^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1]).toBe(program);
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});

test('its catalog is one that Tether takes', () => {
  const text = readFileSync(at('examples/endpoint-minimal/tether.yaml'), 'utf8');
  expect(parseCatalog(text, { env: { SIGNING_SECRET: newSecret() }, readFile: () => '' })).toMatchObject({
    kind: 'ok',
  });
});

test('reads, makes a write one time however often it comes, refuses, answers probes, and lets nobody else in', async () => {
  const database = await createDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const secret = newSecret();
  const served = await start(database, secret);
  const tether = tetherTo(served, [secret]);
  const look = async (ticket: string) => tether.read(readCall({ arguments: JSON.stringify({ ticket_id: ticket }) }));

  expect(await look('T-1')).toMatchObject({ kind: 'result', result: '{"ticket_id":"T-1","status":"open"}' });
  const write = voiding('T-1');
  const answers = await Promise.all(Array.from({ length: 10 }, () => tether.write(write)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toEqual({ kind: 'succeeded', result: '{"ticket_id":"T-1","status":"void"}' });
  expect(await look('T-1')).toMatchObject({ result: '{"ticket_id":"T-1","status":"void"}' });
  expect(await tether.probe(probeCall({ ...write, attempt: 1 }))).toMatchObject({ disposition: 'EXECUTED' });

  for (const [ticket, status] of [
    ['T-3', 'paid'],
    ['T-9', 'not there'],
  ]) {
    const message = `Ticket ${ticket} is ${status}; only an open one can be voided.`;
    expect(await tether.write(voiding(ticket ?? ''))).toMatchObject({
      ...{ kind: 'refused', effect: 'NONE', error: { code: 'ticket_not_open', message, receivedJson: `"${status}"` } },
    });
  }
  const never = voiding('T-2');
  expect(await tether.probe(probeCall({ ...never, attempt: 1 }))).toMatchObject({ disposition: 'NOT_EXECUTED' });
  expect(await tether.write(never)).toMatchObject({ kind: 'failed', effect: 'NONE' });
  expect(await tetherTo(served, []).write(voiding('T-2'))).toMatchObject({ kind: 'failed', effect: 'NONE' });
  expect(await look('T-2')).toMatchObject({ result: '{"ticket_id":"T-2","status":"open"}' });
});

test('without a secret it does not start', async () => {
  const database = await createDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const { PATH = '' } = process.env;
  const child = fork(at('examples/endpoint-minimal/main.ts'), {
    env: { PATH, DATABASE_URL: database.url },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'exit');
  expect(code).not.toBe(0);
  expect(said).toContain('signingSecrets is empty');
});
