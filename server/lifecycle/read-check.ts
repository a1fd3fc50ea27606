import { canonicalise } from '../domain/canonical-json.ts';
import type { ActionableError } from '../domain/error.ts';
import { valueAt } from '../domain/json-pointer.ts';
import type { Check } from '../domain/tool.ts';
import { findTool } from './find-tool.ts';
import type { ToolCatalog } from './ports/catalog.ts';
import type { Dispatcher } from './ports/dispatcher.ts';

export interface ReadCheckPorts {
  readonly catalog: ToolCatalog;
  readonly dispatcher: Dispatcher;
}

/** On whose behalf, and about which write, a check's read is called. */
export interface CheckedWrite {
  readonly tenantId: string;
  readonly scope: string;
  readonly userId: string;
  /** The write's arguments: RFC 8785 text. */
  readonly arguments: string;
}

/** `refused`: the read answered with an error of its own. `unmet`: its expectation is false. `unknown`: there is no answer to judge. */
export type CheckResult =
  | { readonly kind: 'met'; readonly answer: string }
  | { readonly kind: 'refused'; readonly answer: string; readonly message: string }
  | { readonly kind: 'unmet'; readonly answer: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly error: ActionableError };

/** Calls the read that a precondition or a verification names, and judges its answer. */
export async function readCheck(
  { catalog, dispatcher }: ReadCheckPorts,
  check: Check,
  write: CheckedWrite,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const args: unknown = JSON.parse(write.arguments);
  const read = await dispatcher.read({
    endpoint: findTool(catalog, check.read, 'call').endpoint,
    tool: check.read,
    arguments: argumentsOf(check, args),
    tenant: { id: write.tenantId, scope: write.scope, userId: write.userId },
    signal,
  });
  if (read.kind === 'failed') return { kind: 'unknown', error: read.error };
  const answer = read.result;
  const result: unknown = JSON.parse(answer);
  const refusal = refusalOf(result);
  if (refusal !== undefined) return { kind: 'refused', answer, message: refusal };
  if (check.expect === null) return { kind: 'met', answer };
  const judgement = check.expect.judge({ args, result });
  if (judgement.kind === 'true') return { kind: 'met', answer };
  const why = judgement.kind === 'fault' ? ` (${judgement.message})` : '';
  return { kind: 'unmet', answer, message: `${check.read} does not answer that ${check.expect.text}${why}.` };
}

function argumentsOf(check: Check, args: unknown): string {
  const given = Object.entries(check.arguments).flatMap(([name, pointer]): [string, unknown][] => {
    const value = valueAt(args, pointer);
    return value === undefined ? [] : [[name, value]];
  });
  return canonicalise(Object.fromEntries(given));
}

/** An answer of the shape `{"error": …}`, by the rule for a write's answer (DESIGN §4). */
function refusalOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null || !Object.hasOwn(result, 'error')) return undefined;
  const { error, message } = result as { error: unknown; message?: unknown };
  if (error === null || error === false || error === '') return undefined;
  if (typeof message === 'string' && message !== '') return message;
  if (typeof error === 'string') return error;
  const inner = typeof error === 'object' ? (error as { message?: unknown }).message : undefined;
  return typeof inner === 'string' && inner !== '' ? inner : JSON.stringify(error);
}
