import { OwnerUnusable } from '../lifecycle/ports/owner-unusable.ts';

/** What the driver says of a database is for the operator alone, and is told with the setting that it is about. */
export function databaseUnusable(config: {
  /** Null: the embedded one. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
}): (error: unknown) => never {
  const { databaseUrl, dataDir } = config;
  return (thrown) => {
    const [error, name] =
      thrown instanceof OwnerUnusable ? [thrown.cause, 'TETHER_OWNER_DATABASE_URL'] : [thrown, 'DATABASE_URL'];
    const reason = error instanceof Error ? error.message : String(error);
    const hint =
      databaseUrl === null
        ? `the embedded PostgreSQL in TETHER_DATA_DIR (${dataDir}) cannot be used: ${reason}`
        : `the database that ${name} names cannot be used: ${reason}${adviceOn(error)}`;
    throw new Error(hint, { cause: error });
  };
}

/** Ours say themselves what to do; the driver's and the system's have a code, and do not. */
function adviceOn(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return '';
  return ofCertificates.test(error.code)
    ? '. Check sslmode and sslrootcert: the certificate has to be of an authority in that file, and with verify-full for that host'
    : '. Check its host, port, user, password and database, and that the user may create tables there';
}

/** The words of Node, and of OpenSSL by it, for a certificate that does not count. */
const ofCertificates = /^ERR_TLS_|^ERR_SSL_|CERT|^UNABLE_TO_|^CRL_|^HOSTNAME_MISMATCH$|^INVALID_CA$|^INVALID_PURPOSE$/;
