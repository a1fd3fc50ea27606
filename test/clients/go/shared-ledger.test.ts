import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../support/database.ts';
import { toolchain } from '../toolchain.ts';
import { go, goRuns, module } from './go.ts';
import { startVendorProgram, type VendorProgram } from './vendor-program.ts';

const root = join(module, '../..');

/** The call of a write, under a key of its own. */
function writeOf(ticket: string) {
  return {
    ...{ request_id: randomBytes(16).toString('hex'), tool: 'void_ticket', args: { ticket_id: ticket } },
    ...{ tenant: { id: 'acme', scope: '', user_id: '' }, is_write: true, mode: 'execute', action_id: randomUUID() },
    ...{ attempt: 1, deadline: '2999-01-01T00:00:00.000Z' },
  };
}

type Call = ReturnType<typeof writeOf>;

function questionOf({ args: _, deadline: __, ...call }: Call) {
  return { ...call, mode: 'probe' };
}

/** Sends a vendor a signed call; resolves with its answer. */
async function ask({ port }: VendorProgram, secret: string, call: Call | ReturnType<typeof questionOf>) {
  const body = JSON.stringify(call);
  const id = randomUUID();
  const now = new Date();
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-tether-idempotency-key': call.request_id,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    },
    body,
  });
  return { status: response.status, text: await response.text() };
}

test.runIf(await toolchain('go', ['version']))(
  'a vendor in Go and one in TypeScript answer for one endpoint: what one did, the other tells',
  goRuns,
  async () => {
    expect(await readFile(join(module, 'endpoint/ledger/ledger.sql'), 'utf8')).toBe(
      await readFile(join(root, 'clients/endpoint/src/ledger/ledger.sql'), 'utf8'),
    );
    const directory = await mkdtemp(join(tmpdir(), 'tether-go-shared-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const database = await createDatabase({ empty: true });
    onTestFinished(() => database.drop());
    await go(['build', '-o', `${directory}/`, './examples/endpoint']);
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const env = { DATABASE_URL: database.url, SIGNING_SECRET: secret };
    const inGo = await startVendorProgram(join(directory, 'endpoint'), env);
    onTestFinished(() => inGo.close());
    const inTypeScript = await startVendorProgram(process.execPath, env, [
      join(root, 'examples/endpoint-minimal/main.ts'),
    ]);
    onTestFinished(() => inTypeScript.close());

    for (const [first, second, ticket] of [
      [inGo, inTypeScript, 'T-1'],
      [inTypeScript, inGo, 'T-2'],
    ] as const) {
      const done = writeOf(ticket);
      const answer = await ask(first, secret, done);
      expect(JSON.parse(answer.text)).toEqual({ ticket_id: ticket, status: 'void' });
      expect(await ask(second, secret, { ...done, attempt: 2 })).toEqual(answer);
      expect(await ask(second, secret, questionOf(done))).toEqual({
        status: 200,
        text: `{"disposition":"executed","result":${answer.text}}`,
      });
      const other = await ask(second, secret, { ...done, args: { ticket_id: 'T-other' } });
      expect(JSON.parse(other.text)).toMatchObject({ error: 'idempotency_key_reused' });

      const refused = writeOf('T-3');
      const refusal = await ask(first, secret, refused);
      expect(JSON.parse(refusal.text)).toMatchObject({
        error: 'ticket_not_open',
        received: 'paid',
        accepted: ['open'],
      });
      expect(await ask(second, secret, refused)).toEqual(refusal);

      const withdrawn = writeOf('T-3');
      expect((await ask(first, secret, questionOf(withdrawn))).text).toBe('{"disposition":"not_executed"}');
      expect(await ask(second, secret, withdrawn)).toMatchObject({ status: 425 });
    }
  },
);
