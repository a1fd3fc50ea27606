/** When the action of a key was staged, milliseconds since the epoch: its id is a UUIDv7. Undefined for any other key. */
export function keyTime(key: string): number | undefined {
  const time = /^([0-9a-f]{12})7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.exec(key)?.[1];
  return time === undefined ? undefined : Number.parseInt(time, 16);
}
