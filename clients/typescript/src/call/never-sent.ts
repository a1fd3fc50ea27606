/**
 * Whether a call provably never left this machine, by what its failure rests on: no connection was made. That is known on Node,
 * where the system's own error stands at the end of the causes, by Connect as by gRPC. Browsers tell nobody why a fetch failed, so
 * there nothing is known. What broke later, or could have, proves nothing: a connection that was reset, a time that was over.
 */

/** What went wrong while connecting, in the system's words; undefined when nothing proves that it was then. */
export function whyNeverSent(thrown: unknown): string | undefined {
  for (let error = thrown, deep = 0; error instanceof Error && deep < 10; error = error.cause, deep++)
    if (isOfConnecting(error)) return error.message || codeOf(error);
    else if (error.message === badPort)
      return 'fetch, here as in browsers, calls no server on that port: give Tether another';
  return undefined;
}

/** All that Node's fetch says when the port is one of those that the Fetch standard keeps for other protocols, like 6000. */
const badPort = 'bad port';

/** The system calls that come before the first byte: the look-up of the name, and the connection. */
const beforeSending: ReadonlySet<unknown> = new Set(['getaddrinfo', 'connect']);

function isOfConnecting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A name with several addresses: one error for each, and all of them have to be.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isOfConnecting);
  const code = codeOf(error);
  return (
    ('syscall' in error && beforeSending.has(error.syscall)) ||
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    unbelieved.has(code)
  );
}

/** A certificate that is not believed ends the handshake, and nothing is written before that. Of other TLS errors one cannot tell. */
const unbelieved: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}
