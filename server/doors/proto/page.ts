/**
 * How much of one answer a list may fill, in bytes as it travels. Stock gRPC clients take no more than 4 MiB in one message, and
 * an action may carry 256 KiB of arguments; so a page ends before that, and its cursor goes on after what it told.
 */
export const pageBytes = 3 * 1_048_576;

/** The items from the beginning that fit; always one, since a page without any would never end. */
export function fitting<T>(items: readonly T[], bytesOf: (item: T) => number, mostBytes: number): readonly T[] {
  let bytes = 0;
  const beyond = items.findIndex((item, index) => {
    bytes += bytesOf(item);
    return index > 0 && bytes > mostBytes;
  });
  return beyond === -1 ? items : items.slice(0, beyond);
}
