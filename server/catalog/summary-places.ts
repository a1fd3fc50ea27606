import { placeIn } from './schema-place.ts';
import { stepsOf } from './structure.ts';

const place = /\{([^{}]+)\}/g;

/** Why a summary's places cannot be filled, as far as the tool's schema can tell; one message each. */
export function summaryFaults(summary: string, input: unknown): string[] {
  const faults: string[] = [];
  for (const [whole, path = ''] of summary.matchAll(place)) {
    const found = placeIn(input, path.startsWith('/') ? stepsOf(path) : [path]);
    if (found.kind === 'missing') faults.push(`${whole} names no argument: ${found.message}`);
  }
  if (/[{}]/.test(summary.replaceAll(place, ''))) {
    faults.push('A brace stands alone: places look like {ticket_id} or {/customer/name}.');
  }
  return faults;
}
