import type { Check, Expectation } from '../domain/tool.ts';
import type { CheckEntry, ToolEntry } from './check-form.ts';
import { compileExpression } from './expressions/expression.ts';
import type { Fault } from './fault.ts';
import { didYouMean } from './problem.ts';
import { placeIn, typesOf } from './schema-place.ts';
import { stepsOf } from './structure.ts';

/** A read that a write names: held against that read's declaration, and its arguments against both schemas. */
export function checkOf(
  entry: CheckEntry,
  write: ToolEntry,
  tools: Readonly<Record<string, ToolEntry>>,
  fault: Fault,
): Check {
  const read = Object.hasOwn(tools, entry.read) ? tools[entry.read] : undefined;
  if (read === undefined || read.is_write === true) fault(['read'], noRead(entry.read, read, tools));
  else argumentFaults(entry, write, read, fault);
  return {
    read: entry.read,
    arguments: entry.arguments,
    expect: entry.expect === undefined ? null : expectationOf(entry.expect, write, fault),
  };
}

/** Stands for an expression that has a fault: the catalog that holds it is never used. */
export function expectationOf(text: string, write: ToolEntry, fault: Fault): Expectation {
  const compiled = compileExpression(text, write.input);
  if (compiled.kind === 'ok') return compiled.expectation;
  for (const message of compiled.messages) fault(['expect'], message);
  return { text, judge: () => ({ kind: 'fault', message: 'the expression has a fault' }) };
}

function noRead(name: string, found: ToolEntry | undefined, tools: Readonly<Record<string, ToolEntry>>): string {
  const reads = Object.keys(tools).filter((each) => tools[each]?.is_write !== true);
  const declared = reads.length === 0 ? ' No read is declared.' : ` Declared reads: ${reads.join(', ')}.`;
  if (found !== undefined) return `"${name}" is a write, and would be called without anybody's confirm.${declared}`;
  return `No read is called "${name}".${didYouMean(name, reads)}${declared}`;
}

function argumentFaults(entry: CheckEntry, write: ToolEntry, read: ToolEntry, fault: Fault): void {
  for (const [name, pointer] of Object.entries(entry.arguments)) {
    const wanted = placeIn(read.input, [name]);
    if (wanted.kind === 'missing') {
      fault(['arguments', name], `${entry.read} takes no argument "${name}": ${wanted.message}`, 'key');
    }
    const given = placeIn(write.input, stepsOf(pointer));
    if (given.kind === 'missing') fault(['arguments', name], `${pointer} names no argument: ${given.message}`);
    if (wanted.kind !== 'known' || given.kind !== 'known') continue;
    const [into, from] = [typesOf(wanted.schema), typesOf(given.schema)];
    if (into !== undefined && from !== undefined && !from.some((type) => accepts(into, type))) {
      fault(['arguments', name], `${entry.read} takes ${into.join(' or ')}, and ${pointer} is ${from.join(' or ')}.`);
    }
  }
  const { required } = read.input;
  const missing = (Array.isArray(required) ? required : []).filter(
    (name) => !Object.hasOwn(entry.arguments, String(name)),
  );
  if (missing.length > 0) {
    fault(
      ['arguments'],
      `${entry.read} requires ${missing.map((name) => `"${name}"`).join(', ')}: map it to a pointer into this tool's arguments.`,
      'key',
    );
  }
}

function accepts(types: readonly string[], type: string): boolean {
  if (types.includes(type)) return true;
  return (type === 'integer' && types.includes('number')) || (type === 'number' && types.includes('integer'));
}
