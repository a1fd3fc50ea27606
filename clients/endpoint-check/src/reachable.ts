import { connect } from 'node:net';

/** Resolves with why nobody answers there; undefined when somebody does. */
export function unreachable(url: URL, timeoutMs: number): Promise<string | undefined> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  // An IPv6 address stands in brackets in a URL.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (why?: string): void => {
      resolve(why);
      socket.destroy();
    };
    socket.on('connect', () => end());
    socket.on('timeout', () => end(`no connection within ${timeoutMs} ms`));
    socket.on('error', (error) => end('code' in error ? String(error.code) : 'no connection'));
  });
}
