/** What can be seen without asking anybody: settings, certificates, files. */
import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { openCertificates } from '../../doors/tls/certificates.ts';
import { isLoopback } from '../../doors/tls/loopback.ts';
import { type Finding, fail, ok, warn, wordsOf } from './finding.ts';

const dayMs = 86_400_000;

/** The settings, if they can be used. */
export function checkSettings(env: NodeJS.ProcessEnv): { readonly config: Config | undefined; findings: Finding[] } {
  try {
    const config = readConfig(env);
    return { config, findings: [ok('settings', 'all settings can be used; "tether config" shows them')] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map((problem) =>
      fail('settings', problem, 'correct it; nothing else was looked at, since it depends on the settings'),
    );
    return { config: undefined, findings };
  }
}

export async function checkTls({ tls, host }: Config): Promise<Finding[]> {
  if (tls === null) {
    if (isLoopback(host)) return [ok('tls', `the doors speak plain text, to this machine only (${host})`)];
    const advice = 'set TETHER_TLS_CERT and TETHER_TLS_KEY, or let only a proxy that ends TLS reach them';
    return [
      warn('tls', `the doors would speak plain text to a network (TETHER_HOST is ${host}): keys can be read`, advice),
    ];
  }
  try {
    const cert = new X509Certificate(String((await openCertificates(tls, pino({ enabled: false }))).options().cert));
    const now = Date.now();
    const [from, to] = [cert.validFromDate.getTime(), cert.validToDate.getTime()];
    const until = `the certificate in ${tls.cert} is valid until ${cert.validToDate.toISOString()}`;
    if (now > to || now < from)
      return [fail('tls', `${until}, from ${cert.validFromDate.toISOString()} on`, 'clients refuse it: renew it')];
    if (to - now < 14 * dayMs) return [warn('tls', until, 'renew it soon; the files are read again on SIGHUP')];
    return [ok('tls', until)];
  } catch (error) {
    return [
      fail(
        'tls',
        wordsOf(error).replaceAll('\n', ' '),
        'correct the files that TETHER_TLS_CERT and TETHER_TLS_KEY name',
      ),
    ];
  }
}

/** Its secrets are the business of the user that the server runs as. */
export async function checkDataDirectory({ dataDir }: Config): Promise<Finding[]> {
  const check = 'data-directory';
  const directory = await stat(dataDir).catch(() => undefined);
  if (directory === undefined) return [ok(check, `there is no ${dataDir} yet; the first start makes it`)];
  if (!directory.isDirectory()) return [fail(check, `${dataDir} is no directory`, 'set TETHER_DATA_DIR to one')];
  const uid = process.getuid?.();
  if (uid !== undefined && uid !== 0 && directory.uid !== uid)
    return [
      fail(
        check,
        `${dataDir} belongs to user ${directory.uid}, and this is user ${uid}`,
        'run as that user, or set TETHER_DATA_DIR',
      ),
    ];
  const findings: Finding[] = [];
  if ((directory.mode & 0o022) !== 0)
    findings.push(
      warn(check, `others may write to ${dataDir} (mode ${modeOf(directory.mode)})`, `chmod go-w ${dataDir}`),
    );
  for (const name of ['keys.json', 'postgres/data/tether-password', 'postgres/data/tether-app-password']) {
    const path = join(dataDir, name);
    const file = await stat(path).catch(() => undefined);
    if (file !== undefined && (file.mode & 0o077) !== 0)
      findings.push(
        fail(
          check,
          `others may read ${path} (mode ${modeOf(file.mode)})`,
          `chmod 600 ${path}, and replace what was in it`,
        ),
      );
  }
  return findings.length > 0 ? findings : [ok(check, `${dataDir} is ours, and its secrets are closed to others`)];
}

function modeOf(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
