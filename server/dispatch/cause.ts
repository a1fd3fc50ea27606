/** How many causes of causes are told. */
const deepest = 4;

/**
 * What a driver or network said, for the log: names, codes and messages of an error and its causes, and where it was thrown.
 * Never the error itself: undici's carry what was received, and ours would carry whatever a later version hangs on them.
 */
export function causeOf(cause: unknown): string {
  return chainOf(cause, 0).slice(0, 4_000);
}

function chainOf(cause: unknown, depth: number): string {
  if (!(cause instanceof Error)) return String(cause).slice(0, 200);
  const code = 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  const said = `${cause.stack ?? `${cause.name}: ${cause.message}`}${code}`;
  const below = [...(cause instanceof AggregateError ? cause.errors : []), ...(cause.cause ? [cause.cause] : [])];
  return depth >= deepest ? said : [said, ...below.map((each) => `caused by ${chainOf(each, depth + 1)}`)].join('\n');
}
