/** The tables of docs/errors.md, from the catalog of errors and from the statuses with which the doors send them. */
import { Code } from '@connectrpc/connect';
import { type CatalogedError, callErrors, outcomeErrors } from '../../server/domain/error-catalog.ts';
import { statusOf } from '../../server/doors/failure.ts';
import { httpStatusOf } from '../../server/doors/json/problem.ts';

/** Every code with which a call is refused. */
export function tableOfCallErrors(): string {
  return table(
    ['code', 'status', 'JSON door', 'when', 'effect', 'retryable', 'moves'],
    codes(callErrors).map((code) => [
      `\`${code}\``,
      upperSnake(Code[statusOf[code]]),
      String(httpStatusOf(code)),
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
