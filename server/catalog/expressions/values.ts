/** How much an expression may have to go through in a value. */
export interface Extent {
  /** Values in all, each 16 characters of a text counted as another. */
  readonly total: number;
  /** Members of the longest list or object, at least 1. */
  readonly longest: number;
}

type CelData = null | boolean | number | string | CelData[] | Map<string, CelData>;

/**
 * Parsed JSON as the evaluator takes it, measured on the way. Objects become maps here, since the evaluator itself takes
 * an object with a member called `constructor` for something else.
 */
export function celData(json: unknown): { readonly value: CelData; readonly extent: Extent } {
  let total = 0;
  let longest = 1;
  const convert = (value: unknown): CelData => {
    total += 1;
    switch (typeof value) {
      case 'string':
        total += Math.floor(value.length / 16);
        return value;
      case 'number':
      case 'boolean':
        return value;
      case 'object': {
        if (value === null) return null;
        if (Array.isArray(value)) {
          longest = Math.max(longest, value.length);
          return value.map(convert);
        }
        const entries = Object.entries(value);
        longest = Math.max(longest, entries.length);
        return new Map(entries.map(([key, member]) => [key, convert(member)]));
      }
      default:
        throw new TypeError(`a ${typeof value} is no JSON`);
    }
  };
  const value = convert(json);
  return { value, extent: { total, longest } };
}
