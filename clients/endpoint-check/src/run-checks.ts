import { setTimeout as delay } from 'node:timers/promises';
import { type Check, failed, NotKept, skipped, type Trial, type Verdict } from './check.ts';
import { checks } from './checks/all.ts';
import { type Call, newKey } from './contract/call.ts';
import { countIn } from './count-writes.ts';
import { masked } from './masked.ts';
import { canonicalArgs, createSamples, NoneLeft, type Samples } from './samples.ts';
import { type Settings, UsageError } from './settings/settings.ts';
import { createVendor } from './vendor.ts';

export type Finding = Verdict & {
  readonly id: string;
  /** What was sent last, and what came back; empty when nothing was. */
  readonly sent: string;
  readonly received: string;
  readonly ms: number;
};

/** Runs the checks that are asked for, one after the other. `onFound` is told of each when it is done. @throws UsageError */
export async function runChecks(settings: Settings, onFound: (finding: Finding) => void): Promise<readonly Finding[]> {
  const chosen = choose(settings);
  const samples = createSamples(settings);
  const findings: Finding[] = [];
  /** Those that failed, and those that were left out because of them. */
  const broken = new Set<string>();
  for (const check of chosen) {
    const because = check.needs.find((id) => broken.has(id));
    const finding = await runCheck(check, createTrial(settings, samples), because);
    if (finding.outcome === 'failed' || because !== undefined) broken.add(check.id);
    findings.push(finding);
    onFound(finding);
  }
  return findings;
}

function choose({ only, skip }: Settings): readonly Check[] {
  for (const id of [...only, ...skip]) {
    if (checks.some((check) => check.id === id)) continue;
    throw new UsageError(`There is no check ${JSON.stringify(id)}; --list shows them.`);
  }
  return checks.filter(({ id }) => (only.length === 0 || only.includes(id)) && !skip.includes(id));
}

async function runCheck(check: Check, trial: Trial, because: string | undefined): Promise<Finding> {
  const started = performance.now();
  const verdict =
    because === undefined
      ? await check.run(trial).catch(verdictOf)
      : skipped(`Left out: while ${because} does not hold, it would say the same again.`);
  const { sent, received } = trial.vendor.last;
  const why = verdict.why && masked(verdict.why, trial.settings);
  return { id: check.id, ...verdict, ...(why && { why }), sent, received, ms: Math.round(performance.now() - started) };
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof NotKept) return failed(error.message);
  if (error instanceof NoneLeft) return skipped(error.message);
  throw error;
}

function createTrial(settings: Settings, samples: Samples): Trial {
  const vendor = createVendor(settings);
  const { tool, tenant, timeoutMs, count } = settings;
  const deadline = (): Date => new Date(Date.now() + timeoutMs);
  const newRead = (name: string, args: string): Call => ({
    ...{ requestId: newKey(), tool: name, args, tenant, mode: 'read', attempt: 1, deadline: deadline() },
  });
  return {
    settings,
    vendor,
    newRead,
    newWrite(more) {
      const args = more?.args ?? samples.take();
      return { requestId: newKey(), tool, tenant, mode: 'execute', attempt: 1, deadline: deadline(), ...more, args };
    },
    send: vendor.send,
    probe: (call, attempt = call.attempt) => vendor.send({ ...call, mode: 'probe', attempt }),
    notDone: ({ args }) => samples.giveBack(args),
    async count() {
      if (count === undefined) return undefined;
      return countIn(await vendor.send(newRead(count.tool, canonicalArgs(count.args)), { aside: true }), count.pointer);
    },
    pause: (ms) => delay(ms),
  };
}
