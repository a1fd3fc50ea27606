import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { EndpointTls } from '../domain/endpoint.ts';
import type { TlsEntry } from './check-form.ts';
import type { Fault } from './fault.ts';
import type { Surroundings } from './references.ts';

/**
 * Reads the files of `tls` and holds them against each other, so that what cannot work is a problem of the catalog and not of
 * the first call. Messages never repeat what was found.
 */
export function tlsOf(entry: TlsEntry, url: string, { readFile }: Surroundings, fault: Fault): EndpointTls {
  if (!url.startsWith('https:')) fault([], 'Stands only beside a url that begins with https://.', 'key');
  const read = (name: keyof TlsEntry): string | undefined => {
    const path = entry[name];
    if (path === undefined) return undefined;
    try {
      return readFile(path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      // Not the path: somebody may have put the key itself there.
      fault([name], `Names a file that cannot be read${code}.`);
      return undefined;
    }
  };
  const [ca, cert, key] = [read('ca_file'), read('cert_file'), read('key_file')];
  if (ca !== undefined && certificateIn(ca) === undefined) fault(['ca_file'], noCertificate);
  const own = cert === undefined ? undefined : certificateIn(cert);
  if (cert !== undefined && own === undefined) fault(['cert_file'], noCertificate);
  const ours = key === undefined ? undefined : privateKeyIn(key);
  if (key !== undefined && ours === undefined) fault(['key_file'], 'Holds no private key in PEM without a passphrase.');
  if ((entry.cert_file === undefined) !== (entry.key_file === undefined)) {
    fault([], 'cert_file and key_file stand together: one shows who calls, the other proves it.', 'key');
  } else if (own !== undefined && ours !== undefined && !own.checkPrivateKey(ours)) {
    fault(['key_file'], 'Is not the key of the certificate in cert_file.');
  }
  const id = createHash('sha256')
    .update(JSON.stringify([ca, cert, key]))
    .digest('hex');
  return { id, options: () => ({ ca, cert, key }) };
}

const noCertificate = 'Holds no certificate in PEM.';

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
