/** Settings from the environment (DESIGN §10), all of them read here and nowhere else. */

export interface Config {
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  readonly databasePool: number;
  readonly dataDir: string;
  readonly host: string;
  readonly httpPort: number;
  readonly grpcPort: number;
  readonly catalog: string;
  readonly logLevel: LogLevel;
  readonly drainMs: number;
  readonly retention: { readonly actionsMs: number; readonly eventsMs: number };
}

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Every setting: its name, its default as one would type it, and what it is. Docs and `--help` are held against it. */
export const settings = {
  DATABASE_URL: { default: '', what: 'an external PostgreSQL, 14 or newer; without it the embedded one' },
  TETHER_DATABASE_POOL: { default: '10', what: 'connections to the database, 2 to 500' },
  TETHER_DATA_DIR: { default: '.tether', what: 'embedded database, first keys' },
  TETHER_HOST: { default: '127.0.0.1', what: 'address both doors bind' },
  TETHER_HTTP_PORT: { default: '8080', what: 'HTTP door; 0 picks a free port' },
  TETHER_GRPC_PORT: { default: '50051', what: 'gRPC door; 0 picks a free port' },
  TETHER_CATALOG: { default: 'tether.yaml', what: 'the catalog' },
  TETHER_LOG_LEVEL: { default: 'info', what: logLevels.join(', ') },
  TETHER_RETENTION_DAYS: {
    default: '30',
    what: 'how long a settled action is kept, 1 to 36500; never deleted in doubt',
  },
  TETHER_AUDIT_RETENTION_DAYS: { default: '365', what: 'how long an event of the audit trail is kept, 1 to 36500' },
  TETHER_DRAIN_SECONDS: { default: '30', what: 'how long a stop waits for dispatches under way, 0 to 3600' },
} as const;
type Name = keyof typeof settings;

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
  const value = (name: Name): string => env[name]?.trim() || settings[name].default;
  const wholeNumber = (name: Name, least: number, most: number): number => {
    const text = value(name);
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    problems.push(`${name} is ${JSON.stringify(text)}; it takes a whole number from ${least} to ${most}.`);
    return least;
  };
  const unknown = Object.keys(env).filter((name) => name.startsWith('TETHER_') && !Object.hasOwn(settings, name));
  for (const name of unknown) problems.push(`${name} is no setting; there are ${Object.keys(settings).join(', ')}.`);
  const config: Config = {
    databaseUrl: databaseUrl(value('DATABASE_URL'), problems),
    databasePool: wholeNumber('TETHER_DATABASE_POOL', 2, 500),
    dataDir: value('TETHER_DATA_DIR'),
    host: value('TETHER_HOST'),
    httpPort: wholeNumber('TETHER_HTTP_PORT', 0, 65535),
    grpcPort: wholeNumber('TETHER_GRPC_PORT', 0, 65535),
    catalog: value('TETHER_CATALOG'),
    logLevel: logLevel(value('TETHER_LOG_LEVEL'), problems),
    drainMs: wholeNumber('TETHER_DRAIN_SECONDS', 0, 3600) * 1000,
    retention: {
      actionsMs: wholeNumber('TETHER_RETENTION_DAYS', 1, 36_500) * dayMs,
      eventsMs: wholeNumber('TETHER_AUDIT_RETENTION_DAYS', 1, 36_500) * dayMs,
    },
  };
  if (config.httpPort !== 0 && config.httpPort === config.grpcPort) {
    problems.push(
      `TETHER_HTTP_PORT and TETHER_GRPC_PORT are both ${config.httpPort}; each door needs a port of its own.`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function databaseUrl(text: string, problems: string[]): string | null {
  if (text === '') return null;
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'postgres:' || url.protocol === 'postgresql:')) return text;
  // The value may hold a password: it is not repeated.
  problems.push('DATABASE_URL is no address of a PostgreSQL; it takes postgresql://user:password@host:5432/database.');
  return null;
}

function logLevel(text: string, problems: string[]): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (level === undefined)
    problems.push(`TETHER_LOG_LEVEL is ${JSON.stringify(text)}; it takes one of ${logLevels.join(', ')}.`);
  return level ?? 'info';
}
