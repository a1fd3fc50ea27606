import { defineEntity, p } from '@mikro-orm/core';
import { attemptOutcomes, effects } from '../../domain/action.ts';

/**
 * One dispatch of an action. The partial unique index allows one open attempt per action (DESIGN §2 rule 2), whatever
 * else goes wrong. Results and errors are text: jsonb would rewrite numbers and refuse `\u0000`.
 */
export const AttemptEntity = defineEntity({
  name: 'Attempt',
  tableName: 'attempt',
  uniques: [{ name: 'attempt_open_unique', properties: ['actionId', 'tenantId'], where: 'finished_at is null' }],
  properties: {
    actionId: p.uuid().primary(),
    number: p.smallint().primary(),
    tenantId: p.text().primary(),
    outcome: p.enum(attemptOutcomes).nativeEnumName('attempt_outcome'),
    effect: p.enum(effects).nativeEnumName('effect'),
    startedAt: p.datetime(6),
    deadlineAt: p.datetime(6),
    leaseUntil: p.datetime(6),
    finishedAt: p.datetime(6).nullable(),
    confirmedByCredential: p.text(),
    confirmedByUser: p.text(),
    result: p.text().nullable(),
    /** An ActionableError as JSON text. */
    error: p.text().nullable(),
  },
});
