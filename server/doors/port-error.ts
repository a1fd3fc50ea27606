const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is listening there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no such address',
  EAI_AGAIN: 'the address could not be looked up',
};

/** Why a door could not be opened, for the person who starts the server: which setting, what is wrong, what to do. */
export function portError(
  setting: 'TETHER_HTTP_PORT' | 'TETHER_GRPC_PORT',
  host: string,
  port: number,
  cause: unknown,
): Error {
  const text = cause instanceof Error ? cause.message : String(cause);
  const known = Object.keys(reasons).find((code) => text.includes(code));
  const reason = known === undefined ? text : reasons[known];
  const free = 'or set it to 0, which picks a free port';
  const remedy =
    known === 'EADDRINUSE' || known === 'EACCES' ? `Choose another ${setting}, ${free}.` : 'Check TETHER_HOST.';
  return new Error(`Cannot listen on ${host} port ${port} (TETHER_HOST, ${setting}): ${reason}. ${remedy}`, { cause });
}
