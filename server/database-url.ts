/**
 * The address of a PostgreSQL, as its own manual has it, held against what the driver can keep of it. What is accepted is told to
 * the driver in such a way that every connection of the server, whoever opens it, understands it alike.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';

/** What may stand behind the `?`; whatever else did would be left unread, and its author none the wiser. */
const parameters = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'host',
  'port',
  'user',
  'password',
  'application_name',
  'options',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'connect_timeout',
  'channel_binding',
];

/** What providers put into their addresses and the driver leaves unread: looked at, and left out of what it gets. */
const unread = ['connect_timeout', 'channel_binding'];

/** PostgreSQL's `allow` and `prefer` go on in plain text when somebody on the way wants it so; the driver has neither. */
const modes = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Makes the driver understand `sslmode` as PostgreSQL's manual does; its own reading is another one, and changes with its version. */
const asTheManualSays = 'uselibpqcompat';

/** The `sslnegotiation` that is one for plain text too. */
const asWithoutTls = 'postgres';

export function isParameter(name: string): boolean {
  return parameters.includes(name) || name === asTheManualSays;
}

/** As the driver takes it; undefined, with what is wrong added to the problems, when it cannot be used. */
export function readDatabaseUrl(name: string, text: string, problems: string[]): string | undefined {
  const url = parsed(text);
  if (url === null) {
    // The value may hold a password: it is not repeated.
    problems.push(`${name} is no address of a PostgreSQL; it takes postgresql://user:password@host:5432/database.`);
    return undefined;
  }
  const faults = faultsOf(url);
  problems.push(...faults.map((fault) => `${name} ${fault}.`));
  if (faults.length > 0) return undefined;
  if (hostOf(url).startsWith('/')) for (const each of tlsParameters) url.searchParams.delete(each);
  for (const each of unread) url.searchParams.delete(each);
  if (url.searchParams.has('sslmode')) url.searchParams.set(asTheManualSays, 'true');
  return url.href;
}

const tlsParameters = parameters.filter((each) => each.startsWith('ssl'));

/** A host that stands among the parameters may be missing in its place, which no other kind of URL allows. */
function parsed(text: string): URL | null {
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'));
  return url !== null && ['postgres:', 'postgresql:'].includes(url.protocol) ? url : null;
}

/** A name, an address, or the folder of a Unix socket. */
function hostOf({ hostname, searchParams }: URL): string {
  return searchParams.get('host') || decodeURIComponent(hostname).replace(/^\[|\]$/g, '');
}

function faultsOf(url: URL): string[] {
  if ([url.username, url.password, url.hostname, url.pathname].some((part) => !isEscaped(part)))
    return ['has a % that escapes nothing; write it as %25'];
  if (url.hash !== '') return ['has a #, behind which nothing is read; write it as %23'];
  const faults = [...unknownOrRepeated(url)];
  const port = url.searchParams.get('port');
  if (port !== null && !isPort(port)) faults.push(`has port=${port}; it takes a number from 1 to 65535`);
  faults.push(...faultsOfUnread(url));
  const host = hostOf(url);
  if (host.includes(',')) faults.push('names several hosts; it takes one, which leads to the primary');
  if (faults.length > 0 || host.startsWith('/')) return faults;
  return [...faultsOfTls(url, host)];
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function isEscaped(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function* unknownOrRepeated({ searchParams }: URL): Generator<string> {
  const names = [...searchParams.keys()];
  for (const each of new Set(names)) {
    if (!isParameter(each)) yield `has ${unknown(each, searchParams)}; it takes ${parameters.join(', ')}`;
    else if (names.indexOf(each) !== names.lastIndexOf(each)) yield `has ${each} more than once`;
  }
}

/** Behind a `?` or `&` that was not escaped stands the rest of a password, which is not repeated. */
function unknown(name: string, searchParams: URLSearchParams): string {
  const isName = /^[a-z_]+$/i.test(name) && searchParams.get(name) !== '';
  return isName && !searchParams.has('password')
    ? `the parameter ${JSON.stringify(name)}, which cannot be kept`
    : 'a parameter that cannot be kept; in a password write ? as %3F and & as %26';
}

/**
 * A connection of ours has its own time to come up, whatever `connect_timeout` asks for. The driver can offer channel binding, but not
 * insist on it: from a server that offers none it takes less.
 */
function* faultsOfUnread({ searchParams }: URL): Generator<string> {
  const timeout = searchParams.get('connect_timeout');
  if (timeout !== null && !/^-?\d{1,9}$/.test(timeout))
    yield `has connect_timeout=${timeout}; it takes a number of seconds`;
  const binding = searchParams.get('channel_binding');
  if (binding === 'require')
    yield 'has channel_binding=require, which cannot be insisted on here; leave it out, and say sslmode=verify-full, which makes sure of the server by its certificate';
  else if (binding !== null && !['prefer', 'disable'].includes(binding))
    yield `has channel_binding=${binding}; it takes prefer, disable`;
}

function* faultsOfTls({ searchParams }: URL, host: string): Generator<string> {
  const given = (name: string): string => searchParams.get(name) ?? '';
  const mode = given('sslmode');
  if (mode === '' || mode === 'disable') {
    const [useless] = tlsParameters.filter(
      (each) => each !== 'sslmode' && searchParams.has(each) && given(each) !== asWithoutTls,
    );
    if (useless !== undefined && mode === '')
      yield `has ${useless} and no sslmode, without which there is no TLS; add sslmode=verify-full`;
    else if (useless !== undefined) yield `has ${useless} beside sslmode=disable, by which there is no TLS`;
    else if (searchParams.has('sslmode') && mode === '') yield `has an empty sslmode; it takes ${modes.join(', ')}`;
    return;
  }
  if (!modes.includes(mode)) yield `has sslmode=${mode}; it takes ${modes.join(', ')}`;
  if (mode === 'verify-ca' && given('sslrootcert') === '')
    yield 'has sslmode=verify-ca, which takes sslrootcert too: the file of the authority that signed the certificate of the server';
  if (mode === 'verify-full' && isIP(host) !== 0)
    yield 'has sslmode=verify-full and an IP address, which no name can be held against; name the host as its certificate does';
  if ((given('sslcert') === '') !== (given('sslkey') === ''))
    yield 'has one of sslcert and sslkey; a client certificate takes both';
  if (!['', 'postgres', 'direct'].includes(given('sslnegotiation')))
    yield `has sslnegotiation=${given('sslnegotiation')}; it takes postgres, direct`;
  yield* faultsOfFiles(given);
}

/** They are read again for each connection, so that renewed ones count; here it is found out whether they can be used at all. */
function* faultsOfFiles(given: (name: string) => string): Generator<string> {
  const contents: (string | undefined)[] = [];
  for (const each of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = given(each);
    try {
      contents.push(path === '' ? undefined : readFileSync(path, 'utf8'));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      yield `names a file in ${each} that cannot be read${code}: ${path}`;
      return;
    }
  }
  const [ca, cert, key] = contents;
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----'))
    yield `names a file in sslrootcert that holds no certificate in PEM: ${given('sslrootcert')}`;
  try {
    createSecureContext({ ca, cert, key });
  } catch (error) {
    yield `names files that TLS cannot use: ${error instanceof Error ? error.message : String(error)}`;
  }
}
