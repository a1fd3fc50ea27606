/** What the driver says of a database is for the operator alone, and is told with the setting that it is about. */
export function databaseUnusable(config: {
  /** Null: the embedded one. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
}): (error: unknown) => never {
  const { databaseUrl, dataDir } = config;
  return (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    // Ours say themselves what to do; the driver's and the system's have a code, and do not.
    const advice =
      error instanceof Error && 'code' in error
        ? '. Check its host, port, user, password and database, and that the user may create tables there'
        : '';
    const hint =
      databaseUrl === null
        ? `the embedded PostgreSQL in TETHER_DATA_DIR (${dataDir}) cannot be used: ${reason}`
        : `the database that DATABASE_URL names cannot be used: ${reason}${advice}`;
    throw new Error(hint, { cause: error });
  };
}
