import { expect } from 'vitest';
import { doctor } from '../../server/cli/doctor/doctor.ts';
import type { Finding } from '../../server/cli/doctor/finding.ts';

/** What the doctor says, by check. */
export async function examine(env: Readonly<Record<string, string>>) {
  let out = '';
  const output = {
    out: (text: string) => {
      out += text;
    },
    err: () => expect.fail('it wrote to stderr'),
  };
  const code = await doctor({ json: true }, env, output);
  const told: { status: string; checks: Finding[] } = JSON.parse(out);
  expect(['ok', 'warn', 'fail'][code]).toBe(told.status);
  for (const { status, advice } of told.checks) expect(advice === null).toBe(status === 'ok');
  return { code, out, of: (check: string) => told.checks.filter((each) => each.check === check) };
}
