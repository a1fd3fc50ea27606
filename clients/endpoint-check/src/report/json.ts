import type { Finding } from '../run-checks.ts';
import type { Settings } from '../settings/settings.ts';
import { countsOf } from './text.ts';

/** The report for machines. `version` changes when a member changes its meaning or goes. */
export function reportJson({ url, transport }: Settings, findings: readonly Finding[]): string {
  const report = {
    version: 1,
    endpoint: { url: url.href, transport },
    checks: findings.map(({ id, outcome, why = '', sent, received, ms }) => ({ id, outcome, why, sent, received, ms })),
    summary: countsOf(findings),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
