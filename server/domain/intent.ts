import { hash } from 'node:crypto';
import { canonicalise } from './canonical-json.ts';
import { valueAt } from './json-pointer.ts';
import type { Tool } from './tool.ts';

/** What makes two proposals the same wish (DESIGN §2.1 step 3). */
export interface Intent {
  readonly tenantId: string;
  readonly userId: string;
  readonly scope: string;
  readonly tool: Pick<Tool, 'name' | 'intent'>;
  /** RFC 8785 text, and what it says. */
  readonly arguments: { readonly text: string; readonly value: unknown };
}

/**
 * 32 bytes that are the same for the same intent only; under it the database lets one action live. Over the whole arguments,
 * or over the fields that the tool declares: a field that is not there is told from one that is null.
 */
export function intentHash({ tenantId, userId, scope, tool, arguments: { text, value } }: Intent): Uint8Array {
  const wish = tool.intent === null ? text : canonicalise(declaredFields(value, tool.intent.fields));
  return hash('sha256', JSON.stringify([tenantId, userId, scope, tool.name, wish]), 'buffer');
}

function declaredFields(args: unknown, pointers: readonly string[]): unknown {
  const present = [...pointers].sort().flatMap((pointer) => {
    const value = valueAt(args, pointer);
    return value === undefined ? [] : [[pointer, value]];
  });
  return Object.fromEntries(present);
}
