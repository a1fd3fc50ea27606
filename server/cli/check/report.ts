import { type Problem, problemText } from '../../catalog/problem.ts';
import type { Tool } from '../../domain/tool.ts';
import type { Warning } from './warning.ts';

/** What a check found. */
export interface Report {
  /** The file, as it was named. */
  readonly catalog: string;
  /** With any of them the catalog cannot be used. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
  readonly tools: readonly Tool[];
}

/** A line for each finding, that editors and terminals turn into a link; then one that sums up. */
export function textReport({ catalog, problems, warnings, tools }: Report): string {
  const lines = [
    ...problems.map((problem) => problemText(catalog, problem)),
    ...warnings.map((warning) => warningText(catalog, warning)),
  ];
  const writes = tools.filter(({ isWrite }) => isWrite).length;
  const declared = `${counted(tools.length - writes, 'read')}, ${counted(writes, 'write')}`;
  const last =
    problems.length > 0
      ? `${catalog} cannot be used: ${counted(problems.length, 'problem')}.`
      : `${catalog} can be used: ${declared}; ${warnings.length === 0 ? 'no warnings' : counted(warnings.length, 'warning')}.`;
  return `${[...lines, last].join('\n')}\n`;
}

function warningText(catalog: string, { rule, tool, path, place, message }: Warning): string {
  const text = `warning: ${message} [${rule}]`;
  if (place !== null) return problemText(catalog, { ...place, path, message: text });
  return `sample ${tool}${path === '' ? '' : ` ${path}`}: ${text}`;
}

/** One JSON object: `catalog`, `usable`, `problems`, `warnings`. */
export function jsonReport({ catalog, problems, warnings }: Report): string {
  const found = warnings.map(({ place, ...warning }) => ({ ...warning, ...place }));
  return `${JSON.stringify({ catalog, usable: problems.length === 0, problems, warnings: found }, null, 2)}\n`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
