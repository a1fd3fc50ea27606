import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only programs of this machine can reach what binds this host. A name that is not known to be one is none. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
