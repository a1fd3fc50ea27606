/**
 * The expressions of a catalog (CEL, by @bufbuild/cel) over a write's `args` and a read's `result`. Compiled once, when the
 * catalog is read; what the library only notices while it evaluates is looked for then too. Judging never throws.
 */
import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import type { Expectation, Judgement } from '../../domain/tool.ts';
import { work, workLimit } from './cost.ts';
import { expressionFaults } from './faults.ts';
import { faultMessage } from './judgement-fault.ts';
import { celData } from './values.ts';

const environment = celEnv();

export type CompiledExpression =
  | { readonly kind: 'ok'; readonly expectation: Expectation }
  | { readonly kind: 'invalid'; readonly messages: readonly string[] };

/** Compiles an expression. `input` is the JSON Schema of `args`: what it is known not to hold is a fault. */
export function compileExpression(text: string, input: unknown): CompiledExpression {
  let prepared: ReturnType<typeof prepare>;
  try {
    prepared = prepare(text, input);
  } catch (error) {
    return { kind: 'invalid', messages: [unusable(error)] };
  }
  const { expr, messages, evaluate } = prepared;
  if (messages.length > 0) return { kind: 'invalid', messages };
  const judge: Expectation['judge'] = (scope) => {
    try {
      const args = celData(scope.args);
      const result = celData(scope.result);
      if (work(expr, { args: args.extent, result: result.extent }) > workLimit) return fault(tooLarge);
      const value = evaluate({ args: args.value, result: result.value });
      if (value === true) return { kind: 'true' };
      if (value === false) return { kind: 'false' };
      return fault(isCelError(value) ? faultMessage(value.message) : 'the expression came to neither true nor false');
    } catch (error) {
      return fault(error instanceof RangeError ? tooLarge : 'the expression could not be evaluated');
    }
  };
  return { kind: 'ok', expectation: { text, judge } };
}

const tooLarge = 'the answer is too large for the loops of the expression';

function fault(message: string): Judgement {
  return { kind: 'fault', message };
}

/** Throws what the library throws: an error of syntax, or of the plan. */
function prepare(text: string, input: unknown) {
  const parsed = parse(text);
  const messages = expressionFaults(parsed.expr, input, environment);
  return { expr: parsed.expr, messages, evaluate: plan(environment, parsed) };
}

/** `<input>:1:15: found = but …`: the parser's own words, with the place in ours. */
function unusable(error: unknown): string {
  if (error instanceof RangeError) return 'Nests too deeply.';
  if (!(error instanceof Error)) throw error;
  const [, column, message] = /^<input>:\d+:(\d+): (.*)$/s.exec(error.message) ?? [];
  const [, found] = /^found (.*) but expecting .*$/s.exec(message ?? '') ?? [];
  if (found === undefined) return `Is no CEL expression: ${message ?? error.message}.`;
  const assigns = found === '=' ? ' Equal is ==.' : '';
  return `Is no CEL expression: ${found} at character ${column} cannot stand there.${assigns}`;
}
