/**
 * What stands on every answer, since a browser may render any of them. No cache may keep it: it belongs to one credential, and is
 * true for a moment only. It is what its content type says and no page: it runs nothing, loads nothing, stands in no frame, and what
 * is fetched from it is not told where from.
 */
export const commonHeaders: Map<string, string> = new Map([
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['referrer-policy', 'no-referrer'],
]);

/** With TLS: a browser that was here once comes to this host only by TLS for a year, whatever link it follows. */
export const strictTransport: readonly [name: string, value: string] = [
  'strict-transport-security',
  'max-age=31536000',
];
