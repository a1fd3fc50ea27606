/** Values that a catalog takes from its surroundings: `${env:NAME}` and `${file:/path}`. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; relative paths are the catalog's directory's. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
}

export type Resolved =
  | { readonly kind: 'ok'; readonly value: string }
  | { readonly kind: 'invalid'; readonly message: string };

const reference = /\$\{([^{}]*)\}/g;
const environment = /^env:([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** Fills `${env:NAME}` and `${env:NAME:-default}` wherever they stand; a variable that is empty counts as not set. */
export function fillFromEnvironment(text: string, { env }: Surroundings): Resolved {
  let fault: string | undefined;
  const value = text.replaceAll(reference, (whole, inner: string) => {
    const [, name, otherwise] = environment.exec(inner) ?? [];
    if (name === undefined) {
      fault ??= `${whole} is no reference that stands here; accepted: \${env:NAME}, \${env:NAME:-default}.`;
      return '';
    }
    const found = env[name] || otherwise;
    if (found === undefined) fault ??= notSet(name);
    return found ?? '';
  });
  return fault === undefined ? { kind: 'ok', value } : { kind: 'invalid', message: fault };
}

/** What can stand in an `Authorization` header: visible ASCII. */
const token = /^[\x21-\x7e]{1,8192}$/;

/** Reads a bearer token that is one reference. Messages never repeat what was found. */
export function resolveSecret(text: string, surroundings: Surroundings): Resolved {
  const found = readReference(text, surroundings);
  if (found.kind === 'invalid' || token.test(found.value)) return found;
  return {
    kind: 'invalid',
    message: `${text.slice(2, -1)} holds no token: at most 8192 visible ASCII characters, without spaces.`,
  };
}

/** What stands where a text that is one reference points to; of a file, without the white space around it. */
export function readReference(text: string, { env, readFile }: Surroundings): Resolved {
  const inner = text.slice(2, -1);
  const place = inner.slice(inner.indexOf(':') + 1);
  if (inner.startsWith('env:')) {
    const found = env[place];
    return found ? { kind: 'ok', value: found } : { kind: 'invalid', message: notSet(place) };
  }
  try {
    return { kind: 'ok', value: readFile(place).trim() };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return { kind: 'invalid', message: `The file ${place} cannot be read${code}.` };
  }
}

/** Whether a catalog’s problem is one of the environment that it was read in, which another process may not have. */
export function isNotSet(message: string): boolean {
  return /^The environment variable \w+ is not set\.$/.test(message);
}

function notSet(name: string): string {
  return `The environment variable ${name} is not set.`;
}
