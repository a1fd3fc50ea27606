/** Every setting of the server (DESIGN §10): its name, its default as one would type it, and what it is. */

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Docs and `--help` are held against it. */
export const settings = {
  DATABASE_URL: { default: '', what: 'an external PostgreSQL, 14 or newer; without it the embedded one' },
  TETHER_DATABASE_POOL: { default: '10', what: 'connections to the database, 2 to 500' },
  TETHER_DATA_DIR: { default: '.tether', what: 'embedded database, first keys' },
  TETHER_HOST: { default: '127.0.0.1', what: 'address both doors bind' },
  TETHER_HTTP_PORT: { default: '8080', what: 'HTTP door; 0 picks a free port' },
  TETHER_GRPC_PORT: { default: '50051', what: 'gRPC door; 0 picks a free port' },
  TETHER_CORS_ORIGINS: {
    default: '',
    what: 'origins whose pages may call the HTTP door, like https://console.example.com; several with commas; without it none',
  },
  TETHER_CATALOG: { default: 'tether.yaml', what: 'the catalog' },
  TETHER_LOG_LEVEL: { default: 'info', what: logLevels.join(', ') },
  TETHER_RETENTION_DAYS: {
    default: '30',
    what: 'how long a settled action is kept, 1 to 36500; never deleted in doubt',
  },
  TETHER_AUDIT_RETENTION_DAYS: { default: '365', what: 'how long an event of the audit trail is kept, 1 to 36500' },
  TETHER_DRAIN_SECONDS: { default: '30', what: 'how long a stop waits for dispatches under way, 0 to 3600' },
} as const;
export type SettingName = keyof typeof settings;
