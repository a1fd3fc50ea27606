/** JSON text, put together from values that are JSON text themselves, so that none is ever read and written again. */

/** A member of an object; without a text, or with an empty one, it is left out. */
export type Member = readonly [name: string, json: string | undefined];

export function objectText(members: readonly Member[]): string {
  const present = members.filter(([, json]) => json !== undefined && json !== '');
  return `{${present.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

export function listText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

/** Undefined for an absent or empty text. */
export function stringText(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : JSON.stringify(value);
}
