import { isRecord } from '../../catalog/structure.ts';
import { pointerToken } from '../../domain/json-pointer.ts';
import { listFindings } from './lists.ts';
import { scalarFinding } from './scalars.ts';
import type { Finding, Sampled, Seen } from './seen.ts';
import { sensitiveFinding } from './sensitive.ts';

/** What a reader will stumble over in an answer; of the same kind in the elements of one list the first is told. */
export function answerFindings(sampled: Sampled): Finding[] {
  const { text, maxResponseBytes } = sampled;
  const answer: unknown = JSON.parse(text);
  const refusal = refusalFinding(answer);
  if (refusal !== undefined) return [refusal];
  const findings: Finding[] = [];
  const bytes = Buffer.byteLength(text);
  if (bytes * 2 > maxResponseBytes) {
    const message = `It has ${bytes} bytes, over half of the ${maxResponseBytes} that are read; one byte more than that, and none of it is: return fewer items and say "truncated".`;
    findings.push({ rule: 'large-answer', path: '', message });
  }
  const met = new Set<string>();
  for (const seen of valuesIn(answer, { path: '', name: '', beside: [], inList: false })) {
    for (const finding of [sensitiveFinding(seen) ?? scalarFinding(seen), ...listFindings(seen, answer, sampled)]) {
      if (finding === undefined) continue;
      const kind = `${finding.rule} ${finding.path.replaceAll(/\/\d+(?=\/|$)/g, '/*')}`;
      if (!met.has(kind)) findings.push(finding);
      met.add(kind);
    }
  }
  return findings;
}

function* valuesIn(value: unknown, around: Omit<Seen, 'value'>): Generator<Seen> {
  yield { ...around, value };
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      yield* valuesIn(element, { path: `${around.path}/${index}`, name: around.name, beside: [], inList: true });
    }
  } else if (isRecord(value)) {
    const beside = Object.keys(value);
    for (const [name, member] of Object.entries(value)) {
      yield* valuesIn(member, { path: `${around.path}${pointerToken(name)}`, name, beside, inList: false });
    }
  }
}

const nothingFound = /\b(?:no|not|none|nothing|empty|zero)\b/i;

function refusalFinding(answer: unknown): Finding | undefined {
  if (answer === null || answer === '') {
    const message =
      'The answer is empty, and a reader cannot tell nothing from a failure: return the empty list, or the object that says so.';
    return { rule: 'empty-as-error', path: '', message };
  }
  if (!isRecord(answer) || !Object.hasOwn(answer, 'error') || [null, false, ''].includes(answer.error as null))
    return undefined;
  const said = [answer.error, answer.message].filter((each) => typeof each === 'string').join(': ');
  const quoted = said === '' ? 'an error' : JSON.stringify(said.length > 200 ? `${said.slice(0, 200)}…` : said);
  if (nothingFound.test(said.replaceAll('_', ' '))) {
    const message = `It answers ${quoted}. If that means that there is nothing, return an empty list and a count of 0: an error is retold as a failure.`;
    return { rule: 'empty-as-error', path: '/error', message };
  }
  return {
    rule: 'sample-refused',
    path: '/error',
    message: `It answers ${quoted}; sample it with arguments that it answers.`,
  };
}
