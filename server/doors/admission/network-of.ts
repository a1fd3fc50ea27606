/**
 * What counts as one address: of IPv6 the network of 64 bits, since a single machine has all that are in it. An IPv4 address is the
 * same however the system writes it.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const groups = head.split(':').filter((each) => each !== '');
  const after = tail?.split(':') ?? [];
  const between = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0');
  return [...groups, ...between, ...after].slice(0, 4).join(':');
}
