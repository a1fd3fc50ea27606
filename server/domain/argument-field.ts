/** Longest piece of a caller's text that an error repeats, in UTF-16 units. */
const maxEcho = 200;

/** How errors name an argument (DESIGN §3.1): by its name, or by JSON Pointer when nested. Well-formed, and cut when long. */
export function fieldOf(path: readonly (string | number)[]): string {
  const [first] = path;
  const field =
    path.length === 1 && typeof first === 'string'
      ? first
      : path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return (field.length > maxEcho ? `${field.slice(0, maxEcho)}…` : field).toWellFormed();
}

/** JSON text to repeat in an error; undefined when it is too long to help. */
export function echoOf(json: string): string | undefined {
  return json.length > maxEcho ? undefined : json;
}
