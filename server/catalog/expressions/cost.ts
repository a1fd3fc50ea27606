/**
 * The evaluator has no limit of its own, and loops within loops over a long answer could stop the whole server. So the
 * work is estimated before: an upper bound from the shape of the expression and the measures of what it is given.
 */
import type { parse } from '@bufbuild/cel';
import type { Extent } from './values.ts';

export type Expr = ReturnType<typeof parse>['expr'];

/** Steps; one takes up to about a microsecond. */
export const workLimit = 500_000;

interface Estimate {
  readonly work: number;
  readonly extent: Extent;
  /** A list put together one by one: going through it takes the square of its length. */
  readonly piecemeal: boolean;
}

type Scope = Readonly<Record<string, Extent>>;

const one: Extent = { total: 1, longest: 1 };

/** Steps that an evaluation takes at most. */
export function work(expr: Expr, scope: Scope): number {
  return estimate(expr, scope).work;
}

function estimate({ exprKind }: Expr, scope: Scope): Estimate {
  switch (exprKind.case) {
    case 'identExpr':
      return { work: 1, extent: scope[exprKind.value.name] ?? one, piecemeal: false };
    case 'selectExpr': {
      const operand = estimateAll([exprKind.value.operand], scope);
      return { ...operand, work: operand.work + 1, piecemeal: false };
    }
    case 'listExpr':
      return estimateAll(exprKind.value.elements, scope);
    case 'structExpr':
      return estimateAll(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ]),
        scope,
      );
    case 'callExpr': {
      const { target, args } = exprKind.value;
      return estimateCall(exprKind.value.function, [target, ...args], scope);
    }
    case 'comprehensionExpr':
      return estimateLoop(exprKind.value, scope);
    default:
      return { work: 1, extent: constantExtent(exprKind), piecemeal: false };
  }
}

function constantExtent(kind: Expr['exprKind']): Extent {
  if (kind.case !== 'constExpr' || kind.value.constantKind.case !== 'stringValue') return one;
  return { total: 1 + Math.floor(kind.value.constantKind.value.length / 16), longest: 1 };
}

function estimateAll(exprs: readonly (Expr | undefined)[], scope: Scope): Estimate {
  const parts = exprs.filter((expr) => expr !== undefined).map((expr) => estimate(expr, scope));
  return {
    work: parts.reduce((sum, part) => sum + part.work, 1),
    extent: {
      total: parts.reduce((sum, { extent }) => sum + extent.total, 1),
      longest: parts.reduce((sum, { extent }) => sum + extent.longest, Math.max(1, parts.length)),
    },
    piecemeal: parts.some(({ piecemeal }) => piecemeal),
  };
}

/** Functions whose work and answer do not grow with what they are given. */
const constant = new Set(['_&&_', '_||_', '!_', '-_', '_-_', '_*_', '_/_', '_%_', '@not_strictly_false', 'type']);
const comparisons = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_']);

function estimateCall(name: string, operands: readonly (Expr | undefined)[], scope: Scope): Estimate {
  const all = estimateAll(operands, scope);
  if (constant.has(name)) return { work: all.work, extent: one, piecemeal: false };
  if (name === '_+_' || name === '_?_:_' || name === '_[_]' || name === 'dyn') return all;
  const parts = operands.filter((each) => each !== undefined).map((each) => estimate(each, scope));
  // Two values are compared until the smaller one ends.
  const scanned = comparisons.has(name) ? Math.min(...parts.map(({ extent }) => extent.total)) : all.extent.total;
  const again = all.piecemeal && name !== 'size' ? all.extent.longest ** 2 : 0;
  const extent = comparisons.has(name) || name === '@in' ? one : { ...all.extent, longest: 1 };
  return { work: all.work + scanned + again, extent, piecemeal: false };
}

type Loop = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'];

function estimateLoop(
  { iterRange, iterVar, accuVar, accuInit, loopCondition, loopStep }: Loop,
  scope: Scope,
): Estimate {
  const range = estimateAll([iterRange], scope);
  const rounds = range.extent.longest;
  // What all elements hold together is what the list holds.
  const element = { total: range.extent.total / rounds, longest: range.extent.longest };
  const body = estimateAll([loopCondition, loopStep], { ...scope, [iterVar]: element, [accuVar]: one });
  const builds = accuInit?.exprKind.case === 'listExpr';
  return {
    work: range.work + rounds * body.work + (range.piecemeal ? rounds ** 2 : 0),
    extent: builds ? { total: rounds * body.extent.total, longest: Math.max(rounds, body.extent.longest) } : one,
    piecemeal: builds,
  };
}
