import type { BatchObservableResult, Meter } from '@opentelemetry/api';
import type { Log } from '../../lifecycle/ports/process.ts';
import { openStates, type Survey, workKinds } from '../../lifecycle/ports/survey.ts';

/** A survey counts for that long, however many ask, milliseconds. */
const freshMs = 10_000;

/** A scrape waits no longer for one, milliseconds. */
const patienceMs = 2_000;

/**
 * What there is to do, over all tenants and so the same on every server: asked of the database when somebody asks for metrics, at
 * most every 10 s. While the database does not answer they are no numbers.
 */
export function surveyMetrics(meter: Meter, canBeAsked: () => boolean, survey: () => Promise<Survey>, log: Log): void {
  const actions = meter.createObservableGauge('tether_actions_open', {
    description: 'Actions that have not ended, by state; 100000 means that many or more.',
  });
  const attention = meter.createObservableGauge('tether_actions_needing_attention', {
    description: 'Actions that need a person; 100000 means that many or more.',
  });
  const due = meter.createObservableGauge('tether_work_due', {
    description: 'Work that is due and not done yet; 100000 means that many or more.',
  });
  const oldest = meter.createObservableGauge('tether_work_oldest_due_seconds', {
    description: 'How long the oldest of it has been due.',
  });
  const latest = latestOf(() =>
    survey().catch((error: unknown) => {
      log.warn({ err: error }, 'what there is to do could not be counted for the metrics');
      return undefined;
    }),
  );
  meter.addBatchObservableCallback(
    async (result: BatchObservableResult) => {
      const now = canBeAsked() ? await latest() : undefined;
      // The library tells the last figure for ever when there is none.
      for (const state of openStates) result.observe(actions, now?.actions[state] ?? Number.NaN, { state });
      result.observe(attention, now?.needingAttention ?? Number.NaN);
      for (const kind of workKinds) {
        result.observe(due, now?.due[kind].count ?? Number.NaN, { kind });
        result.observe(oldest, now?.due[kind].oldestSeconds ?? Number.NaN, { kind });
      }
    },
    [actions, attention, due, oldest],
  );
}

/** One survey at a time, and none before the last one is old; undefined when there is none in time. */
function latestOf(survey: () => Promise<Survey | undefined>): () => Promise<Survey | undefined> {
  let asked: { readonly at: number; readonly answer: Promise<Survey | undefined> } | undefined;
  return () => {
    if (asked === undefined || performance.now() - asked.at > freshMs)
      asked = { at: performance.now(), answer: survey() };
    const { answer } = asked;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), patienceMs);
      void answer.then((found) => {
        clearTimeout(timer);
        resolve(found);
      });
    });
  };
}
