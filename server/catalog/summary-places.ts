import { didYouMean } from './problem.ts';
import { isRecord, stepsOf } from './structure.ts';

const place = /\{([^{}]+)\}/g;

/** Why a summary's places cannot be filled, as far as the tool's schema can tell; one message each. */
export function summaryFaults(summary: string, input: unknown): string[] {
  const faults: string[] = [];
  for (const [whole, path = ''] of summary.matchAll(place)) {
    const fault = unknownStep(path.startsWith('/') ? stepsOf(path) : [path], input);
    if (fault !== undefined) faults.push(`${whole} names no argument: ${fault}`);
  }
  if (/[{}]/.test(summary.replaceAll(place, ''))) {
    faults.push('A brace stands alone: places look like {ticket_id} or {/customer/name}.');
  }
  return faults;
}

/** Keywords that may declare further properties: with one of them, nothing is known. */
const declaring = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

function unknownStep(steps: readonly string[], schema: unknown): string | undefined {
  let at: unknown = schema;
  for (const step of steps) {
    if (!isRecord(at) || declaring.some((keyword) => isRecord(at) && Object.hasOwn(at, keyword))) return undefined;
    const { properties, items, prefixItems, additionalProperties } = at;
    if (prefixItems !== undefined) return undefined;
    if (items !== undefined && /^\d+$/.test(step)) {
      at = items;
      continue;
    }
    const names = isRecord(properties) ? Object.keys(properties) : [];
    if (!names.includes(step)) {
      // An open object that declares nothing may hold anything.
      if (names.length === 0 && additionalProperties !== false) return undefined;
      return `"${step}" is not among the properties of its schema (${names.join(', ')}).${didYouMean(step, names)}`;
    }
    at = isRecord(properties) ? properties[step] : undefined;
  }
  return undefined;
}
