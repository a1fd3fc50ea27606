import type { Authenticator } from '../lifecycle/ports/authenticator.ts';

/** How every API key begins; no token does, since its text is the base64 of a JSON object. */
const keyBegins = 'tth_';

/** Asks whoever knows credentials of that form. What has no form of ours is unknown, and nobody is asked about it. */
export function byForm({
  keys,
  tokens,
}: {
  readonly keys: Authenticator;
  readonly tokens: Authenticator;
}): Authenticator {
  const whoKnows = (credential: string): Authenticator | undefined => {
    if (credential.startsWith(keyBegins)) return keys;
    return hasThreeParts(credential) ? tokens : undefined;
  };
  return {
    authenticate: (credential) => whoKnows(credential)?.authenticate(credential) ?? Promise.resolve(undefined),
    recognises: (credential) => whoKnows(credential)?.recognises(credential) ?? false,
  };
}

/** As a signed token has them, in its compact form (RFC 7515, 7.1). */
function hasThreeParts(text: string): boolean {
  const first = text.indexOf('.');
  const second = text.indexOf('.', first + 1);
  return first !== -1 && second !== -1 && text.indexOf('.', second + 1) === -1;
}
