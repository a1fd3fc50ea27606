/** What the owner of the tables could not do, whose address is another than the server's; the cause says why. */
export class OwnerUnusable extends Error {
  override readonly name = 'OwnerUnusable';

  constructor(cause: unknown) {
    super(wordsOf(cause), { cause });
  }
}

function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  // Node tells of several addresses that all failed without any words of its own.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
