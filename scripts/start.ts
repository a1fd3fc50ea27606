/** `npm start`: the server, with the example point of sale beside it as a vendor's program of its own. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import pg from 'pg';
import type { App, Ready } from '../server/app.ts';
import { readConfig } from '../server/config.ts';
import { firstKeysText, readyLine, serve } from '../server/serve.ts';
import { startEmbedded } from '../server/store/embedded/embedded.ts';
import { startVendor, type Vendor } from './start/vendor.ts';

const example = resolve(import.meta.dirname, '../examples/point-of-sale');

try {
  process.exitCode = await start(process.env);
} catch (error) {
  process.stderr.write(`tether cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function start(env: NodeJS.ProcessEnv): Promise<number> {
  const { databaseUrl, ownerDatabaseUrl, dataDir } = readConfig(env);
  const embedded = databaseUrl === null ? await startEmbedded({ dataDir }) : undefined;
  const url = databaseUrl ?? embedded?.url ?? '';
  const ownerUrl = ownerDatabaseUrl ?? embedded?.ownerUrl ?? url;
  // Known to these two processes only, and to nobody after them.
  const secret = { POS_SIGNING_SECRET: `whsec_${randomBytes(32).toString('base64')}` };
  let vendor: Vendor | undefined;
  try {
    vendor = await startVendor(resolve(example, 'main.ts'), {
      ...secret,
      POS_PORT: '8090',
      POS_DATABASE_URL: await databaseBeside(ownerUrl, 'point_of_sale'),
      ...env,
    });
    const catalog = { TETHER_CATALOG: resolve(example, 'tether.yaml'), POS_URL: vendor.url };
    // Wherever they came from, the server has them from here.
    const database = { DATABASE_URL: url, DATABASE_URL_FILE: '' };
    const owner = { TETHER_OWNER_DATABASE_URL: ownerUrl, TETHER_OWNER_DATABASE_URL_FILE: '' };
    const served = { ...secret, ...catalog, ...env, ...database, ...owner };
    return await serve(served, (app, ready) => process.stdout.write(welcome(app, ready, vendor?.url ?? '', dataDir)));
  } finally {
    await vendor?.stop();
    await embedded?.stop();
  }
}

/** The address of a database of that name on the same server, made if it is not there. */
async function databaseBeside(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const beside = new URL(url);
  beside.pathname = `/${name}`;
  return beside.href;
}

function welcome(app: App, ready: Ready, vendorUrl: string, dataDir: string): string {
  const keys = resolve(dataDir, 'keys.json');
  const key = (role: string) => `$(node -p 'require("${keys}").${role}')`;
  return [
    firstKeysText(ready),
    `the example point of sale answers on ${vendorUrl}`,
    readyLine(app),
    '',
    'Propose a write, as a model would; nothing runs until somebody confirms it:',
    '',
    `  curl -s ${app.httpUrl}/tether.v1.ActionService/Stage -H 'Content-Type: application/json' \\`,
    `    -H "Authorization: Bearer ${key('agent')}" \\`,
    `    -d '{"tool":"void_ticket","argumentsJson":"{\\"ticket_id\\":\\"T-4417\\",\\"reason\\":\\"entered twice\\"}"}'`,
    '',
    'The walk in README.md goes on from there.',
    '',
  ].join('\n');
}
