import { type Command, InvalidArgumentError, Option } from 'commander';
import { secondsOf } from '../catalog/duration.ts';
import { parseActionId } from '../domain/action.ts';
import type { AuditOptions } from './audit/audit.ts';
import { tenantId } from './option-values.ts';
import type { Output } from './output.ts';

type Given = Pick<AuditOptions, 'tenant' | 'admin' | 'follow' | 'json'> &
  Partial<Pick<AuditOptions, 'action' | 'since'>> & { readonly after?: string };

/** Adds `tether audit`; `done` is told the exit code. */
export function addAudit(tether: Command, env: NodeJS.ProcessEnv, output: Output, done: (code: number) => void): void {
  tether
    .command('audit')
    .description('who did what and when: the audit trail as JSON lines, straight from the database, without a key')
    .requiredOption('--tenant <id>', 'of this tenant', tenantId)
    .option('--action <id>', 'of this action only', actionId)
    .addOption(
      new Option('--admin', 'what operators did to credentials and stops, instead of what happened to actions')
        .default(false)
        .conflicts('action'),
    )
    .option('--since <when>', 'what happened since then: 2027-01-31T00:00:00Z, or so long ago: 15m, 12h, 90d', moment)
    .option('--after <cursor>', 'what stands after this place: the cursor of the last line that you have')
    .option('--json', 'print what went wrong as JSON too; events always are, a line each', false)
    .option('--follow', 'go on with what is still to come, until it is interrupted', false)
    .addHelpText('after', help)
    .action(async (options: Given, self: Command) => {
      const { auditTrail } = await import('./audit/audit.ts');
      const after = options.after === undefined ? undefined : await placeOf(options.after, self);
      done(await auditTrail({ action: undefined, since: undefined, ...options, after }, env, output));
    });
}

function actionId(value: string) {
  const id = parseActionId(value);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('An action’s id is a UUID.');
}

function moment(value: string): Date {
  const ago = /^\d{1,6}[smhd]$/.test(value) ? new Date(Date.now() - secondsOf(value) * 1000) : undefined;
  const at = ago ?? (/^\d{4}-\d\d-\d\dT\S+(Z|[+-]\d\d:\d\d)$/.test(value) ? new Date(value) : new Date(Number.NaN));
  if (!Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError(
    'It is a time with its zone, like 2027-01-31T00:00:00Z, or so long ago, like 12h or 90d.',
  );
}

/** What it takes is loaded when it is called for. */
async function placeOf(cursor: string, command: Command) {
  const { positionOf } = await import('../lifecycle/event-cursor.ts');
  try {
    return positionOf(cursor);
  } catch {
    return command.error('error: --after takes the cursor of a line of this trail, like e1234.56');
  }
}

const help = `
One event per line, oldest first. The database is the one that "tether serve" would use: DATABASE_URL, or the embedded one of
TETHER_DATA_DIR, whether or not a server is running; it is only read. What was written a moment ago is told when no older
transaction is running any more.

Every line has trail ("actions" or "operators"), occurred_at, tenant_id, type, actor ({credential_id, user_id}, or null when Tether
itself did it) and cursor. Of an action: action_id, version, from_state, to_state, effect, attempt, preview_digest, note. Of an
operator: subject, detail.

Examples:
  tether audit --tenant acme --since 24h | jq -r 'select(.type == "CLAIMED") | [.occurred_at, .actor.user_id, .action_id] | @tsv'
  tether audit --tenant acme --action 9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33
  tether audit --tenant acme --admin --follow
  tether audit --tenant acme --after "$(tail -n 1 acme.jsonl | jq -r .cursor)" >> acme.jsonl

Exit codes:
  0  everything was told, or whoever read it has seen enough
  1  there is no such tenant or action; or the database cannot be used
  2  called in a wrong way`;
