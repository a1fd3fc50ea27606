import { checks } from '../checks/all.ts';
import type { Finding } from '../run-checks.ts';

const marks: Readonly<Record<Finding['outcome'], string>> = { passed: '✓', failed: '✗', warned: '!', skipped: '–' };

/** A finding for people; of what is not kept, what was sent and received and how to mend it. */
export function findingText({ id, outcome, why, sent, received }: Finding): string {
  const lines = [`${marks[outcome]} ${id}${why === undefined ? '' : `: ${why}`}`];
  if (outcome === 'failed') {
    const mend = checks.find((check) => check.id === id)?.mend;
    if (sent !== '') lines.push(`    sent      ${sent}`, `    received  ${received}`);
    if (mend !== undefined) lines.push(`    mend      ${mend}`);
  }
  return `${lines.join('\n')}\n`;
}

export function summaryText(findings: readonly Finding[]): string {
  const { passed, failed, warned, skipped } = countsOf(findings);
  const verdict = failed === 0 ? 'The endpoint keeps its side' : 'The endpoint does NOT keep its side';
  return `\n${verdict}: ${passed} passed, ${failed} failed, ${warned} warned, ${skipped} skipped.\n`;
}

export function countsOf(findings: readonly Finding[]): Record<Finding['outcome'], number> {
  const counts = { passed: 0, failed: 0, warned: 0, skipped: 0 };
  for (const { outcome } of findings) counts[outcome] += 1;
  return counts;
}

export function listText(): string {
  return `${checks.map((check) => `${check.id}${check.with ? ` (with ${check.with})` : ''}\n    ${check.expects}`).join('\n')}\n`;
}
