import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { Logger } from 'pino';

/** Paths of PEM files, without passphrases. */
export interface TlsFiles {
  /** The server's certificate, with those between it and its authority. */
  readonly cert: string;
  readonly key: string;
  /** Authorities of which callers have to show a certificate; null when they need none. */
  readonly clientCa: string | null;
}

/** What both doors speak TLS with. */
export interface Certificates {
  /** Whether callers have to show a certificate. */
  readonly asked: boolean;
  /** What a listener is made with. */
  options(): TlsOptions;
  /** Gives a listener what is read anew, for the connections from then on; those there are stay. */
  renew(listener: { setSecureContext(options: SecureContextOptions): void }): void;
  /** Reads the files again, all or nothing: with any problem everything stays as it was, and the log says why. */
  reload(): Promise<void>;
}

/** Handshakes take a round trip or two; who takes longer, milliseconds, holds a connection for nothing. */
const handshakeTimeout = 10_000;

/** Rejects with every problem of the files, each named by its setting. Nothing that stands in a file is ever repeated. */
export async function openCertificates(files: TlsFiles, logger: Logger): Promise<Certificates> {
  const asked = files.clientCa !== null;
  const listeners: { setSecureContext(options: SecureContextOptions): void }[] = [];
  let context = await readContext(files, logger);
  return {
    asked,
    options: () => ({ ...context, handshakeTimeout }),
    renew: (listener) => void listeners.push(listener),
    async reload() {
      try {
        context = await readContext(files, logger);
      } catch (error) {
        logger.error({ err: error }, 'the certificates stay as they were: the files cannot be used');
        return;
      }
      for (const listener of listeners) listener.setSecureContext(context);
    },
  };
}

async function readContext(files: TlsFiles, logger: Logger): Promise<SecureContextOptions> {
  const problems: string[] = [];
  const read = async (setting: string, path: string): Promise<string> =>
    readFile(path, 'utf8').catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      problems.push(`${setting} names a file that cannot be read${code}: ${path}.`);
      return '';
    });
  const cert = await read('TETHER_TLS_CERT', files.cert);
  const key = await read('TETHER_TLS_KEY', files.key);
  const ca = files.clientCa === null ? undefined : await read('TETHER_TLS_CLIENT_CA', files.clientCa);
  const own = cert === '' ? undefined : certificateIn(cert);
  const ours = key === '' ? undefined : privateKeyIn(key);
  if (cert !== '' && own === undefined) problems.push('TETHER_TLS_CERT holds no certificate in PEM.');
  if (key !== '' && ours === undefined)
    problems.push('TETHER_TLS_KEY holds no private key in PEM without a passphrase.');
  if (ca !== undefined && ca !== '' && certificateIn(ca) === undefined)
    problems.push('TETHER_TLS_CLIENT_CA holds no certificate in PEM.');
  if (own !== undefined && ours !== undefined && !own.checkPrivateKey(ours))
    problems.push('TETHER_TLS_KEY is not the key of the certificate in TETHER_TLS_CERT.');
  const context: SecureContextOptions = {
    cert,
    key,
    ca,
    minVersion: 'TLSv1.2',
    // A session that is resumed shows no certificate anew. Where one is asked for, every connection shows it, so that one
    // that ran out counts no longer.
    secureOptions: ca === undefined ? 0 : constants.SSL_OP_NO_TICKET,
  };
  if (problems.length === 0) {
    try {
      createSecureContext(context);
    } catch (error) {
      problems.push(`TLS cannot use these files: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
  if (problems.length > 0) throw new Error(`TLS cannot be used:\n${problems.map((each) => `  ${each}`).join('\n')}`);
  if (own !== undefined) tellValidity(own, logger);
  return context;
}

/** A certificate that clients will refuse is no reason to stop: what does not look at it, a probe for one, still gets through. */
function tellValidity({ subject, validFromDate, validToDate }: X509Certificate, logger: Logger): void {
  const about = { subject, from: validFromDate, to: validToDate };
  const now = new Date();
  if (now < validFromDate || now > validToDate)
    logger.error(about, 'the certificate in TETHER_TLS_CERT is not valid now: clients will refuse it');
  else logger.info(about, 'TLS is on');
}

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
