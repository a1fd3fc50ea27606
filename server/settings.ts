/** Every setting of the server (DESIGN §10): its name, its default as one would type it, and what it is. */

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Who brings the schema up to date: a server that starts, or nobody but `tether migrate`. */
export const migrateWays = ['auto', 'off'] as const;
export type Migrate = (typeof migrateWays)[number];

export interface Setting {
  readonly default: string;
  readonly what: string;
  /** It may come from a file too, and is never shown: of a URL the password, or the whole of it. */
  readonly secret?: 'url' | 'whole';
}

/** Docs and `--help` are held against it. */
export const settings = {
  DATABASE_URL: {
    default: '',
    what: 'an external PostgreSQL, 14 or newer; without it the embedded one',
    secret: 'url',
  },
  TETHER_OWNER_DATABASE_URL: {
    default: '',
    what: 'the same database as the owner of its tables, who migrates; then the user of DATABASE_URL cannot change the audit trail',
    secret: 'url',
  },
  TETHER_MIGRATE: {
    default: 'auto',
    what: 'auto: bring the schema up to date at the start; off: refuse to start on another one (see tether migrate)',
  },
  TETHER_DATABASE_POOL: { default: '10', what: 'connections to the database, 2 to 500' },
  TETHER_DATA_DIR: { default: '.tether', what: 'embedded database, first keys' },
  TETHER_HOST: { default: '127.0.0.1', what: 'address both doors bind' },
  TETHER_HTTP_PORT: { default: '8080', what: 'HTTP door; 0 picks a free port' },
  TETHER_GRPC_PORT: { default: '50051', what: 'gRPC door; 0 picks a free port' },
  TETHER_TLS_CERT: {
    default: '',
    what: "both doors speak TLS: file of the server's certificate in PEM, with those between it and its authority",
  },
  TETHER_TLS_KEY: { default: '', what: 'file of its private key in PEM, without a passphrase' },
  TETHER_TLS_CLIENT_CA: {
    default: '',
    what: 'callers have to show a certificate of an authority in this file, beside their key',
  },
  TETHER_CORS_ORIGINS: {
    default: '',
    what: 'origins whose pages may call the HTTP door, like https://console.example.com; several with commas; without it none',
  },
  TETHER_MAX_CONNECTIONS: { default: '4096', what: 'connections to each door; beyond it new ones are closed' },
  TETHER_GRPC_CONNECTION_AGE_SECONDS: {
    default: '1800',
    what: 'when gRPC clients are told to connect anew, so that load balancers can share them out, 10 to 86400; 0 for never',
  },
  TETHER_RATE_LIMIT: {
    default: '1000',
    what: 'calls that one credential may make in a second at each server, 1 to 1000000; 0 for any number',
  },
  TETHER_WATCH_LIMIT: {
    default: '100',
    what: 'streams by which one credential may watch at once at each server, 1 to 100000; 0 for any number',
  },
  TETHER_FAILED_KEY_LIMIT: {
    default: '20',
    what: 'credentials that do not count, from one address, that are looked at in a second, 1 to 1000000; 0 for any number',
  },
  TETHER_CATALOG: { default: 'tether.yaml', what: 'the catalog' },
  TETHER_LOG_LEVEL: { default: 'info', what: logLevels.join(', ') },
  TETHER_METRICS_TOKEN: {
    default: '',
    what: 'who reads /metrics sends this as a bearer token, at least 16 characters; without it only this machine may',
    secret: 'whole',
  },
  TETHER_RETENTION_DAYS: {
    default: '30',
    what: 'how long a settled action is kept, 1 to 36500; never deleted in doubt',
  },
  TETHER_AUDIT_RETENTION_DAYS: { default: '365', what: 'how long an event of the audit trails is kept, 1 to 36500' },
  TETHER_DRAIN_DELAY_SECONDS: {
    default: '0',
    what: 'how long a stop goes on serving, not ready any more, so that load balancers notice, 0 to 3600',
  },
  TETHER_DRAIN_SECONDS: { default: '30', what: 'how long a stop waits for dispatches under way, 0 to 3600' },
} as const satisfies Readonly<Record<string, Setting>>;
export type SettingName = keyof typeof settings;
