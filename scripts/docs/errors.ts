/** The tables of docs/errors.md, from the catalog of errors and from the statuses with which the doors send them. */
import { Code } from '@connectrpc/connect';
import type { CallErrorCode } from '../../server/domain/error.ts';
import { type CatalogedError, callErrors, outcomeErrors } from '../../server/domain/error-catalog.ts';
import { statusOf } from '../../server/doors/failure.ts';

/** The status that the contract reserves for a plain JSON door beside Connect's own. */
const jsonDoor: Record<CallErrorCode, number> = {
  ACTION_NOT_FOUND: 404,
  CONFIRM_IN_FLIGHT: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
  RISK_ACKNOWLEDGEMENT_REQUIRED: 412,
  PREVIEW_DIGEST_MISMATCH: 412,
  INTENT_HELD: 409,
  SECOND_PERSON_REQUIRED: 403,
  ACTION_SETTLED: 409,
  NOT_IN_DOUBT: 409,
  OUTCOME_INDETERMINATE: 409,
  PRECONDITION_NOT_MET: 409,
  PRECONDITION_UNKNOWN: 503,
  INVALID_ARGUMENTS: 400,
  INVALID_REQUEST: 400,
  INVALID_CURSOR: 400,
  TOOL_NOT_FOUND: 404,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  AUTHORIZER_DENIED: 403,
  AUTHORIZER_UNAVAILABLE: 503,
  TOOL_UNAVAILABLE: 502,
  RESPONSE_TOO_LARGE: 502,
  RESPONSE_INVALID: 502,
  INTERNAL: 500,
  UNAVAILABLE: 503,
};

/** Every code with which a call is refused. */
export function tableOfCallErrors(): string {
  return table(
    ['code', 'status', 'JSON door', 'when', 'effect', 'retryable', 'moves'],
    codes(callErrors).map((code) => [
      `\`${code}\``,
      upperSnake(Code[statusOf[code]]),
      String(jsonDoor[code]),
      ...answers(callErrors[code]),
    ]),
  );
}

/** Every code with which an outcome is recorded. */
export function tableOfOutcomeErrors(): string {
  return table(
    ['code', 'when', 'effect', 'retryable', 'moves'],
    codes(outcomeErrors).map((code) => [`\`${code}\``, ...answers(outcomeErrors[code])]),
  );
}

function codes<C extends string>(catalog: Record<C, CatalogedError>): C[] {
  return Object.keys(catalog) as C[];
}

function answers({ when, effect, retryable, moves }: CatalogedError): string[] {
  const yesOrNo = retryable === 'told' ? 'told' : retryable ? 'yes' : 'no';
  return [when, effect, yesOrNo, moves.map((move) => `\`${move}\``).join(', ')];
}

function upperSnake(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
