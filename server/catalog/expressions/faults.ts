import { type CelEnv, isCelError, run } from '@bufbuild/cel';
import { didYouMean } from '../problem.ts';
import { placeIn } from '../schema-place.ts';
import type { Expr } from './cost.ts';

/** What an expression may begin with, beside the variables of its own loops. */
const roots = ['args', 'result'];
/** Names of types, for `type(result) == map`. */
const types = ['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'];
/** Offered when a function is unknown. */
const functions = [
  ...['all', 'bool', 'contains', 'double', 'duration', 'endsWith', 'exists', 'exists_one', 'filter', 'getFullYear'],
  ...['has', 'int', 'map', 'matches', 'size', 'startsWith', 'string', 'timestamp', 'type', 'uint'],
];
/** Operators that the evaluator does not keep among its functions. */
const operators = new Set(['_[_]', '_?_:_', '_&&_', '_||_', '@not_strictly_false']);
/** Calls that never come to true or false. */
const notBoolean = new Set([
  ...['_+_', '_-_', '_*_', '_/_', '_%_', '-_', 'size', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp'],
  ...['duration', 'type'],
]);

/** What is wrong with a parsed expression, as far as it can be known without the data; each message once. */
export function expressionFaults(expr: Expr, input: unknown, environment: CelEnv): string[] {
  const faults = [...faultsIn(expr, { input, environment, variables: [] })];
  if (faults.length === 0 && neverBoolean(expr))
    faults.push('Never comes to true or false: compare it with something.');
  return [...new Set(faults)];
}

interface Around {
  readonly input: unknown;
  readonly environment: CelEnv;
  /** Of the loops around. */
  readonly variables: readonly string[];
}

function* faultsIn(expr: Expr | undefined, around: Around): Generator<string> {
  if (expr === undefined) return;
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'identExpr':
      yield* nameFaults(exprKind.value.name, around);
      return;
    case 'selectExpr':
      yield* faultsIn(exprKind.value.operand, around);
      yield* argumentFaults(expr, around);
      return;
    case 'listExpr':
      for (const element of exprKind.value.elements) yield* faultsIn(element, around);
      return;
    case 'structExpr': {
      const { messageName, entries } = exprKind.value;
      if (messageName !== '') yield `${messageName}{…} cannot be made here: only JSON values are known.`;
      for (const { keyKind, value } of entries) {
        if (keyKind.case === 'mapKey') yield* faultsIn(keyKind.value, around);
        yield* faultsIn(value, around);
      }
      return;
    }
    case 'callExpr':
      yield* callFaults(exprKind.value, around);
      return;
    case 'comprehensionExpr': {
      const { iterRange, iterVar, accuVar, accuInit, loopCondition, loopStep, result } = exprKind.value;
      yield* faultsIn(iterRange, around);
      const within = { ...around, variables: [...around.variables, iterVar, accuVar] };
      for (const part of [accuInit, loopCondition, loopStep, result]) yield* faultsIn(part, within);
      return;
    }
  }
}

function* nameFaults(name: string, { variables }: Around): Generator<string> {
  if ([...roots, ...types, ...variables].includes(name)) return;
  const known = [...roots, ...variables.filter((each) => !each.startsWith('@'))];
  const text = /^[a-z]+$/.test(name) ? ` A text stands in quotes: "${name}".` : '';
  yield `"${name}" is no name that is known here.${didYouMean(name, known) || text} Accepted: ${known.join(', ')}.`;
}

type Call = Extract<Expr['exprKind'], { case: 'callExpr' }>['value'];

function* callFaults({ function: name, target, args }: Call, around: Around): Generator<string> {
  yield* faultsIn(target, around);
  for (const argument of args) yield* faultsIn(argument, around);
  if (!operators.has(name) && around.environment.funcs.find(name) === undefined) {
    yield name === 'has'
      ? 'has(…) takes a field, like has(result.status).'
      : `"${name}" is no function that is known here.${didYouMean(name, functions)}`;
  }
  if (['_+_', '_-_', '_*_', '_/_', '_%_'].includes(name) && args.some(isInteger) && args.some(isData)) {
    yield name === '_%_'
      ? 'JSON numbers are doubles, and % is for integers: write int(…) % 2.'
      : 'JSON numbers are doubles: write 1.0 instead of 1 when you calculate with them.';
  }
  const [pattern] = args;
  if (name === 'matches' && pattern?.exprKind.case === 'constExpr') {
    const { constantKind } = pattern.exprKind.value;
    if (constantKind.case !== 'stringValue') return;
    const tried = run('"".matches(p)', { p: constantKind.value });
    if (isCelError(tried))
      yield `${JSON.stringify(constantKind.value)} is no regular expression (RE2): ${tried.message}.`;
  }
}

/** `args.tiket_id`: a path that the write's schema is known not to have. */
function* argumentFaults(expr: Expr, { input, variables }: Around): Generator<string> {
  const steps = pathFrom(expr);
  if (steps === undefined || variables.includes('args')) return;
  const place = placeIn(input, steps);
  // The operand has told it already when a step before the last one is missing.
  if (place.kind === 'missing' && placeIn(input, steps.slice(0, -1)).kind !== 'missing') {
    yield `args.${steps.join('.')} names no argument: ${place.message}`;
  }
}

function pathFrom({ exprKind }: Expr): string[] | undefined {
  if (exprKind.case === 'identExpr') return exprKind.value.name === 'args' ? [] : undefined;
  if (exprKind.case !== 'selectExpr' || exprKind.value.operand === undefined) return undefined;
  const before = pathFrom(exprKind.value.operand);
  return before && [...before, exprKind.value.field];
}

function isInteger({ exprKind }: Expr): boolean {
  return exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'int64Value';
}

/** A member of something that came as JSON, so never an integer. */
function isData({ exprKind }: Expr): boolean {
  if (exprKind.case !== 'selectExpr' || exprKind.value.testOnly || exprKind.value.operand === undefined) return false;
  const { operand } = exprKind.value;
  return operand.exprKind.case === 'identExpr' || isData(operand);
}

function neverBoolean({ exprKind }: Expr): boolean {
  switch (exprKind.case) {
    case 'constExpr':
      return exprKind.value.constantKind.case !== 'boolValue';
    case 'listExpr':
    case 'structExpr':
      return true;
    case 'identExpr':
      return exprKind.value.name !== 'result';
    case 'callExpr': {
      const { function: name, args } = exprKind.value;
      return name === '_?_:_' ? args.slice(1).some(neverBoolean) : notBoolean.has(name);
    }
    case 'comprehensionExpr':
      return exprKind.value.accuInit?.exprKind.case === 'listExpr';
    default:
      return false;
  }
}
