/** Settings from the environment (DESIGN §10), all of them read here and nowhere else. */
import { readDatabaseUrl } from './database-url.ts';
import { readSettingValues } from './setting-values.ts';
import { type LogLevel, logLevels, type Migrate, migrateWays, type SettingName } from './settings.ts';
import { readTraceSettings, type TraceSettings } from './trace-settings.ts';

export interface Config {
  /** As the driver takes it; null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** The owner of an external database's tables, who migrates them; null: the user of `databaseUrl`. */
  readonly ownerDatabaseUrl: string | null;
  readonly migrate: Migrate;
  readonly databasePool: number;
  readonly dataDir: string;
  readonly host: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  /** Paths of PEM files; null: plain text. */
  readonly tls: { readonly cert: string; readonly key: string; readonly clientCa: string | null } | null;
  /** Exact, as a browser sends them. */
  readonly corsOrigins: readonly string[];
  /** What the doors hold callers to. */
  readonly limits: {
    readonly connections: number;
    readonly callsPerSecond: number;
    readonly streamsPerCredential: number;
    readonly failedKeysPerSecond: number;
    readonly grpc: { readonly ageMs: number };
  };
  readonly catalog: string;
  readonly logLevel: LogLevel;
  /** Null: only this machine reads metrics. */
  readonly metricsToken: string | null;
  /** Null: traces are not recorded, only handed on. */
  readonly traces: TraceSettings | null;
  readonly drainDelayMs: number;
  readonly drainMs: number;
  readonly retention: { readonly actionsMs: number; readonly eventsMs: number };
}

const dayMs = 86_400_000;

/** Thrown with every problem at once, each naming its setting and what would be accepted. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads and checks all settings; an empty value is as good as none. Throws ConfigError. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const values = readSettingValues(env, problems);
  const value = (name: SettingName): string => values[name].text;
  const wholeNumber = (name: SettingName, least: number, most: number): number => {
    const text = value(name);
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    problems.push(`${name} is ${JSON.stringify(text)}; it takes a whole number from ${least} to ${most}.`);
    return least;
  };
  const wholeNumberOrNone = (name: SettingName, least: number, most: number): number =>
    value(name) === '0' ? 0 : wholeNumber(name, least, most);
  const config: Config = {
    databaseUrl: databaseUrl('DATABASE_URL', value('DATABASE_URL'), problems),
    ownerDatabaseUrl: databaseUrl('TETHER_OWNER_DATABASE_URL', value('TETHER_OWNER_DATABASE_URL'), problems),
    migrate: migrateWay(value('TETHER_MIGRATE'), problems),
    databasePool: wholeNumber('TETHER_DATABASE_POOL', 2, 500),
    dataDir: value('TETHER_DATA_DIR'),
    host: value('TETHER_HOST'),
    httpPort: wholeNumber('TETHER_HTTP_PORT', 0, 65535),
    grpcPort: wholeNumber('TETHER_GRPC_PORT', 0, 65535),
    tls: tlsFiles(value, problems),
    corsOrigins: origins(value('TETHER_CORS_ORIGINS'), problems),
    limits: {
      connections: wholeNumber('TETHER_MAX_CONNECTIONS', 10, 1_000_000),
      grpc: { ageMs: wholeNumberOrNone('TETHER_GRPC_CONNECTION_AGE_SECONDS', 10, 86_400) * 1000 },
      callsPerSecond: wholeNumber('TETHER_RATE_LIMIT', 0, 1_000_000),
      streamsPerCredential: wholeNumber('TETHER_WATCH_LIMIT', 0, 100_000),
      failedKeysPerSecond: wholeNumber('TETHER_FAILED_KEY_LIMIT', 0, 1_000_000),
    },
    catalog: value('TETHER_CATALOG'),
    logLevel: logLevel(value('TETHER_LOG_LEVEL'), problems),
    metricsToken: metricsToken(value('TETHER_METRICS_TOKEN'), problems),
    traces: readTraceSettings(env, problems),
    drainDelayMs: wholeNumber('TETHER_DRAIN_DELAY_SECONDS', 0, 3600) * 1000,
    drainMs: wholeNumber('TETHER_DRAIN_SECONDS', 0, 3600) * 1000,
    retention: {
      actionsMs: wholeNumber('TETHER_RETENTION_DAYS', 1, 36_500) * dayMs,
      eventsMs: wholeNumber('TETHER_AUDIT_RETENTION_DAYS', 1, 36_500) * dayMs,
    },
  };
  if (config.ownerDatabaseUrl !== null && value('DATABASE_URL') === '')
    problems.push('TETHER_OWNER_DATABASE_URL is another user of the database that DATABASE_URL names; set that too.');
  if (config.httpPort !== 0 && config.httpPort === config.grpcPort) {
    problems.push(
      `TETHER_HTTP_PORT and TETHER_GRPC_PORT are both ${config.httpPort}; each door needs a port of its own.`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function databaseUrl(name: SettingName, text: string, problems: string[]): string | null {
  return text === '' ? null : (readDatabaseUrl(name, text, problems) ?? null);
}

/** That the files are there and fit together is found out where they are read. */
function tlsFiles(value: (name: SettingName) => string, problems: string[]): Config['tls'] {
  const [cert, key, clientCa] = [value('TETHER_TLS_CERT'), value('TETHER_TLS_KEY'), value('TETHER_TLS_CLIENT_CA')];
  if (cert !== '' && key !== '') return { cert, key, clientCa: clientCa || null };
  if (cert !== '' || key !== '') {
    const [given, missing] = cert === '' ? ['KEY', 'CERT'] : ['CERT', 'KEY'];
    problems.push(`TETHER_TLS_${given} is given and TETHER_TLS_${missing} is not; TLS takes both.`);
  } else if (clientCa !== '') {
    problems.push(
      'TETHER_TLS_CLIENT_CA asks callers for certificates, which takes TETHER_TLS_CERT and TETHER_TLS_KEY.',
    );
  }
  return null;
}

/** Exact ones only: a `*` would let any page that learns a key call from its reader's browser, inside of any network. */
function origins(text: string, problems: string[]): readonly string[] {
  const given = text.split(',').flatMap((each) => each.trim() || []);
  for (const each of given) {
    const origin = /^https?:[^*]+$/i.test(each) ? URL.parse(each)?.origin : undefined;
    if (origin === each) continue;
    const meant = origin === undefined ? '' : ` Is it ${origin}?`;
    problems.push(
      `TETHER_CORS_ORIGINS has ${JSON.stringify(each)}; it takes exact origins like https://console.example.com, without a path, and no patterns.${meant}`,
    );
  }
  return [...new Set(given)];
}

function metricsToken(text: string, problems: string[]): string | null {
  if (text === '') return null;
  // The value is a secret: it is not repeated.
  if (!/^[\x21-\x7e]{16,}$/.test(text))
    problems.push('TETHER_METRICS_TOKEN takes at least 16 visible ASCII characters, without spaces.');
  return text;
}

function logLevel(text: string, problems: string[]): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (level === undefined)
    problems.push(`TETHER_LOG_LEVEL is ${JSON.stringify(text)}; it takes one of ${logLevels.join(', ')}.`);
  return level ?? 'info';
}

function migrateWay(text: string, problems: string[]): Migrate {
  const way = migrateWays.find((each) => each === text);
  if (way === undefined)
    problems.push(`TETHER_MIGRATE is ${JSON.stringify(text)}; it takes one of ${migrateWays.join(', ')}.`);
  return way ?? 'off';
}
