import { type Command, Option } from 'commander';
import { parseActionId } from '../domain/action.ts';
import { type DeliveryState, deliveryStates } from '../domain/webhook.ts';
import { tenantId } from './option-values.ts';
import type { Output } from './output.ts';
import type { WebhooksOptions } from './webhooks.ts';

/** Adds `tether webhooks`; `done` is told the exit code. */
export function addWebhooks(
  tether: Command,
  env: NodeJS.ProcessEnv,
  output: Output,
  done: (code: number) => void,
): void {
  const webhooks = tether
    .command('webhooks')
    .description('the messages to a tenant’s webhooks, straight in the database')
    .addHelpText('after', help)
    .helpCommand(false);
  const command = (name: string, description: string) =>
    webhooks
      .command(name)
      .description(description)
      .requiredOption('--tenant <id>', 'the tenant', tenantId)
      .option('--json', 'print one JSON object, also for what went wrong', false)
      .addHelpText('after', exitCodes);

  command('list', 'Lists messages, newest first; what has arrived is remembered for a day.')
    .addOption(new Option('--state <state>', 'only these').choices(deliveryStates.map((state) => state.toLowerCase())))
    .action(async ({ state, ...options }: WebhooksOptions & { readonly state?: string }) => {
      const { listDeliveries } = await import('./webhooks.ts');
      const states = deliveryStates.filter((each): each is DeliveryState => each.toLowerCase() === state);
      done(await listDeliveries({ ...options, states }, env, output));
    });

  command('redeliver', 'Sends a dead message again, under the same id.')
    .argument('<delivery-id>', 'as list tells it')
    .action(async (id: string, options: WebhooksOptions, self: Command) => {
      const { redeliver } = await import('./webhooks.ts');
      const delivery = parseActionId(id) ?? self.error('error: <delivery-id> is a UUID, as list tells it');
      done(await redeliver(delivery, options, env, output));
    });
}

const exitCodes = `
Exit codes:
  0  done
  1  refused, and nothing was changed; or the database cannot be used
  2  called in a wrong way`;

const help = `
Which webhooks there are is declared in the catalog. A message that does not arrive is sent again for two days, and is dead then.

Examples:
  tether webhooks list --tenant acme --state dead
  tether webhooks redeliver 6d0c1f0e-2f6b-4a51-9d0e-6b2c8f4a1d33 --tenant acme
${exitCodes}`;
