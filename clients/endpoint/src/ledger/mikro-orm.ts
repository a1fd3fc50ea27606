import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { atPlaceholders } from './placeholders.ts';
import { type SqlLedger, type SqlLedgerOptions, sqlLedger } from './sql.ts';
import type { Begin, Row } from './transactions.ts';

/**
 * A ledger for users of MikroORM 7 with PostgreSQL; `call.tx` is the entity manager of the transaction, forked for this call.
 * What a handler persists is flushed before its result is recorded. Instead of the ORM it can be a function that opens the
 * transaction, READ COMMITTED, in your own way.
 */
export function mikroOrmLedger(
  source: Pick<MikroORM, 'em'> | Begin<EntityManager>,
  options?: SqlLedgerOptions,
): SqlLedger<EntityManager> {
  const transaction: Begin<EntityManager> =
    typeof source === 'function'
      ? source
      : (work) => source.em.fork().transactional(work, { isolationLevel: IsolationLevel.READ_COMMITTED });
  return sqlLedger<EntityManager>(
    {
      transaction,
      executor: (em) => ({
        query: async (sql, params) => {
          const { texts, values } = atPlaceholders(sql, params);
          return em.execute<Row[]>(texts.join('?'), [...values]);
        },
      }),
      flush: (em) => em.flush(),
    },
    options,
  );
}
