/** TLS with an endpoint rests on the files that the catalog names, both ways, over every transport. */
import { describe, expect, test } from 'vitest';
import { type EndpointTls, type EndpointTransport, endpointTransports } from '../../server/domain/endpoint.ts';
import { dispatcherTo, probeCall, readCall, settingsOf, writeCall } from './calls.ts';
import { authority, caller, otherAuthority, server, stranger } from './certificates.ts';
import { rawServer } from './raw-server.ts';
import { signingVendor, type Vendor, type VendorTls } from './signing-vendor.ts';

interface Files {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** As the catalog makes it of its files. */
const tlsWith = ({ ca, cert, key }: Files): EndpointTls => ({
  id: JSON.stringify([ca, cert, key]),
  options: () => ({ ca, cert, key }),
});

const vendorWith = (transport: EndpointTransport, tls: VendorTls) => signingVendor(transport, () => true, tls);

const tether = (vendor: Pick<Vendor, 'url'>, transport: EndpointTransport, files: Files | undefined) =>
  dispatcherTo(settingsOf(vendor.url, { transport, ...(files && { tls: tlsWith(files) }) }));

const executed = { kind: 'succeeded' };
const nothingSent = { kind: 'failed', effect: 'NONE', error: { retryable: true } };

describe.each(endpointTransports)('over %s', (transport) => {
  test('an endpoint certified by the declared authority is called', async () => {
    const vendor = await vendorWith(transport, server);
    const dispatcher = tether(vendor, transport, { ca: authority });
    expect(await dispatcher.write(writeCall())).toMatchObject(executed);
    expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'result' });
    expect(await dispatcher.probe(probeCall())).toMatchObject({ disposition: 'EXECUTED' });
  });

  test.each([
    ['by another authority than the declared one', { ca: otherAuthority }],
    ['by none that the runtime knows', undefined],
  ])('one certified %s gets nothing, provably', async (_, files) => {
    const vendor = await vendorWith(transport, server);
    const dispatcher = tether(vendor, transport, files);
    expect(await dispatcher.write(writeCall())).toMatchObject(nothingSent);
    expect(await dispatcher.read(readCall())).toMatchObject({ kind: 'failed' });
    expect(vendor.arrivals).toEqual([]);
    expect(dispatcher.logged[0]).toMatchObject({ outcome: 'unsent', why: 'unreachable' });
  });

  test('one that lets in only known callers lets us in by our certificate', async () => {
    const vendor = await vendorWith(transport, { ...server, ca: authority });
    expect(await tether(vendor, transport, { ca: authority, ...caller }).write(writeCall())).toMatchObject(executed);
  });

  test.each([
    ['without a certificate', {}],
    ['with one of an authority that it does not know', stranger],
  ])('and does nothing for us %s', async (_, own) => {
    const vendor = await vendorWith(transport, { ...server, ca: authority });
    const answer = await tether(vendor, transport, { ca: authority, ...own }).write(writeCall());
    expect(answer).not.toMatchObject(executed);
    expect(vendor.arrivals).toEqual([]);
  });

  test('what is declared anew gets connections of its own', async () => {
    const vendor = await vendorWith(transport, server);
    let files: Files = { ca: authority };
    const settings = () => settingsOf(vendor.url, { transport, tls: tlsWith(files) });
    const dispatcher = dispatcherTo(settings(), { endpoints: settings });
    expect(await dispatcher.write(writeCall())).toMatchObject(executed);
    files = { ca: otherAuthority };
    expect(await dispatcher.write(writeCall())).toMatchObject(nothingSent);
    expect(vendor.arrivals).toHaveLength(1);
  });

  test('not a byte of the call leaves before the endpoint has shown who it is', async () => {
    const silent = await rawServer(() => undefined);
    const dispatcher = tether({ url: silent.url.replace('http:', 'https:') }, transport, { ca: authority, ...caller });
    expect(await dispatcher.write(writeCall({ timeoutMs: 150 }))).toMatchObject(nothingSent);
    const received = Buffer.concat(silent.received).toString('latin1');
    expect(received).not.toMatch(/void_ticket|T-4417|ToolEndpoint/);
  });
});
