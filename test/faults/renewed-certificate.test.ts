import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { authority, server as certified } from '../dispatch/certificates.ts';
import { certificate, privateKey } from '../dispatch/loopback-certificate.ts';
import { filesOfTls } from '../doors/tls-files.ts';
import { openPlace, type Place, until } from './place.ts';

vi.setConfig({ testTimeout: 90_000 });

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());

/** The certificate that a door shows, whoever certified it. */
async function shownAt(port: number, protocol: string): Promise<string> {
  const ca = [authority, certificate];
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ALPNProtocols: [protocol] });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

test('a server shows a renewed certificate after SIGHUP, at both doors, without a restart', async () => {
  const files = await filesOfTls(certified);
  const server = await place.server({ env: { TETHER_TLS_CERT: files.cert, TETHER_TLS_KEY: files.key } });
  expect(server.httpUrl).toMatch(/^https:/);
  const doors: readonly (readonly [port: number, protocol: string])[] = [
    [Number(new URL(server.httpUrl).port), 'http/1.1'],
    [Number(server.grpcAddress.split(':').at(-1)), 'h2'],
  ];
  const before = await Promise.all(doors.map((door) => shownAt(...door)));
  await files.replace({ cert: certificate, key: privateKey });
  server.signal('SIGHUP');
  for (const [index, door] of doors.entries())
    await until(
      () => shownAt(...door),
      (shown) => shown !== before[index],
    );
  expect(await server.stop()).toBe(0);
});
