import { didYouMean } from './problem.ts';
import { isRecord } from './structure.ts';

/** What a schema says of a place in what it describes. `unknown`: it cannot be told from the schema's own words. */
export type SchemaPlace =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly schema: unknown; readonly required: boolean }
  | { readonly kind: 'missing'; readonly message: string };

/** Keywords that may declare further properties: with one of them, nothing is known. */
const declaring = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

/** Follows the steps of a pointer from a schema's root. `required`: every step on the way is. */
export function placeIn(root: unknown, steps: readonly string[]): SchemaPlace {
  let schema: unknown = root;
  let required = true;
  for (const step of steps) {
    if (!isRecord(schema)) return { kind: 'unknown' };
    const at = schema;
    if (declaring.some((keyword) => Object.hasOwn(at, keyword))) return { kind: 'unknown' };
    if (at.prefixItems !== undefined) return { kind: 'unknown' };
    if (at.items !== undefined && /^\d+$/.test(step)) {
      schema = at.items;
      required = false;
      continue;
    }
    const names = isRecord(at.properties) ? Object.keys(at.properties) : [];
    if (!names.includes(step)) {
      // An open object that declares nothing may hold anything.
      if (names.length === 0 && at.additionalProperties !== false) return { kind: 'unknown' };
      const message = `"${step}" is not among the properties of its schema (${names.join(', ')}).${didYouMean(step, names)}`;
      return { kind: 'missing', message };
    }
    schema = isRecord(at.properties) ? at.properties[step] : undefined;
    required &&= Array.isArray(at.required) && at.required.includes(step);
  }
  return { kind: 'known', schema, required };
}

/** The JSON types that a schema allows by its own words; undefined when it does not say, or not by itself. */
export function typesOf(schema: unknown): readonly string[] | undefined {
  if (!isRecord(schema)) return undefined;
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.map(String) : undefined;
}
