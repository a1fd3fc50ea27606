import type { Config } from '../../config.ts';
import type { DatabasePlace } from '../../prepare-schema.ts';
import { findBinaries } from '../../store/embedded/binaries.ts';
import { withSession } from '../../store/session.ts';
import type { Output } from '../output.ts';
import { hasEmbedded, withDatabase } from '../with-store.ts';
import { checkCatalog } from './catalog.ts';
import { checkClock, checkConnections, checkDatabase } from './database.ts';
import { type Finding, fail, ok, type Status, wordsOf, worst } from './finding.ts';
import { checkFirstKeys } from './first-keys.ts';
import { checkDataDirectory, checkSettings, checkTls } from './local.ts';
import { checkPorts } from './ports.ts';
import { checkReach } from './reach.ts';
import { checkOwner, checkSchema, checkTrail, checkTransactions } from './record.ts';

const codes: Readonly<Record<Status, number>> = { ok: 0, warn: 1, fail: 2 };

/** `tether doctor`; resolves with the exit code: 0 all is well, 1 there are warnings, 2 something fails. */
export async function doctor(
  { json }: { readonly json: boolean },
  env: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  const findings: Finding[] = [];
  for await (const finding of look(env)) {
    findings.push(finding);
    if (!json) output.out(textOf(finding));
  }
  const status = worst(findings);
  if (json) output.out(`${JSON.stringify({ status, checks: findings }, null, 2)}\n`);
  else output.out(`${verdicts[status]}\n`);
  return codes[status];
}

const verdicts: Readonly<Record<Status, string>> = {
  ok: 'All is well.',
  warn: 'It works; mind the warnings.',
  fail: 'Something has to be done first.',
};

async function* look(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const { config, findings } = checkSettings(env);
  yield* findings;
  if (config === undefined) return;
  yield* await seen('tls', () => checkTls(config));
  yield* await seen('data-directory', () => checkDataDirectory(config));
  let runs = false;
  yield* await seen('ports', async () => {
    const ports = await checkPorts(config);
    runs = ports.runs;
    return ports.findings;
  });
  const { loaded, findings: ofCatalog } = await checkCatalog(config, env, runs);
  yield* ofCatalog;
  yield* await ofDatabase(config);
  if (loaded.kind === 'ok') yield* await seen('endpoints', () => checkReach(loaded.catalog));
}

async function ofDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl === null && !(await hasEmbedded(config))) {
    return await seen('database', async () => {
      findBinaries();
      return [ok('database', `there is none in ${config.dataDir} yet; the first start makes it`)];
    });
  }
  const advice =
    config.databaseUrl === null
      ? 'see postgres.log in the data directory'
      : 'check host, port, user, password, database and sslmode of DATABASE_URL';
  try {
    return await withDatabase(config, (place) => ofPlace(place, config));
  } catch (error) {
    return [fail('database', wordsOf(error), advice)];
  }
}

/** Without making one. */
function ofPlace(place: DatabasePlace, config: Config): Promise<Finding[]> {
  return withSession(place.url, 'tether-doctor', async (session) => {
    const findings = await checkDatabase(session);
    if (worst(findings.filter(({ check }) => check === 'database')) === 'fail') return findings;
    findings.push(
      ...(await seen('connections', () => checkConnections(session, config.databasePool))),
      ...(await seen('clock', () => checkClock(session))),
      ...(await seen('owner', () => checkOwner(place))),
    );
    let current = false;
    findings.push(
      ...(await seen('schema', async () => {
        const schema = await checkSchema(place, config);
        current = schema.current;
        return schema.findings;
      })),
    );
    if (!current) return findings;
    return [
      ...findings,
      ...(await seen('trail', () => checkTrail(session, config))),
      ...(await seen('transactions', () => checkTransactions(session))),
      ...(await seen('first-keys', () => checkFirstKeys(config, place))),
    ];
  });
}

/** What cannot be looked at is a finding too. */
async function seen(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [fail(check, `it could not be looked at: ${wordsOf(error)}`, 'mend that, and ask again')];
  }
}

function textOf({ check, status, message, advice }: Finding): string {
  const lines = [`${status.padEnd(4)}  ${check}: ${message}`, ...(advice === null ? [] : [`      -> ${advice}`])];
  return `${lines.join('\n')}\n`;
}
