import type { Outbox } from '../../lifecycle/ports/webhooks.ts';
import type { Database } from '../database.ts';
import { delivered, failed, places, takeDue } from './attempts.ts';
import { add, enqueue } from './enqueue.ts';
import { expiring } from './expiring.ts';
import { listDeliveries, prune, redeliver } from './list.ts';
import { position } from './position.ts';

/** What is to be told to webhooks, in PostgreSQL. Rejects with StoreUnavailable when the database is away. */
export function createOutbox(database: Database): Outbox {
  return {
    position: (webhook) => position(database, webhook),
    enqueue: (webhook, from, to, messages) => enqueue(database, webhook, from, to, messages),
    expiring: (webhook, withinMs, limit) => expiring(database, webhook, withinMs, limit),
    add: (webhook, messages) => add(database, webhook, messages),
    places: () => places(database),
    takeDue: (webhook, limit, againInMs) => takeDue(database, webhook, limit, againInMs),
    delivered: (delivery) => delivered(database, delivery),
    failed: (delivery, fault, againInMs) => failed(database, delivery, fault, againInMs),
    list: (query) => listDeliveries(database, query),
    redeliver: (tenantId, id) => redeliver(database, tenantId, id),
    prune: (olderThan) => prune(database, olderThan),
  };
}
