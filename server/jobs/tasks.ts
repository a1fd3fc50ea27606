import type { Sweeps } from '../lifecycle/create-lifecycle.ts';
import type { Webhooks } from '../lifecycle/webhooks/create-webhooks.ts';
import type { JobsOptions } from './jobs-options.ts';

const hour = 3_600;

/** What is done without anybody asking, and how often. The names are in the database: none may change its meaning. */
export function tasksOf(sweeps: Sweeps, webhooks: Webhooks): Pick<JobsOptions, 'tasks' | 'paces'> {
  return {
    tasks: {
      expire_actions: sweeps.expire,
      settle_orphans: sweeps.orphans,
      probe_doubts: sweeps.probes,
      verify_successes: sweeps.verifications,
      delete_expired_records: sweeps.retention,
      relay_webhooks: webhooks.relay,
      deliver_webhooks: webhooks.deliver,
      prune_webhooks: webhooks.prune,
    },
    paces: {
      probe_doubts: 1,
      relay_webhooks: 1,
      deliver_webhooks: 1,
      delete_expired_records: hour,
      prune_webhooks: hour,
    },
  };
}
