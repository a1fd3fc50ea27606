/**
 * The barest program that could be called the same: one table, three statements, a POST. It keeps no audit trail and no
 * attempts, and lets the same wish in twice; a crash in the middle leaves a row EXECUTING, and nobody knows.
 */
import { randomUUID } from 'node:crypto';
import { contend } from '../contender.ts';
import { newArguments, tool } from '../wish.ts';
import { one, pool } from './database.ts';
import { post } from './post.ts';

await pool.query(`create table bare (
  id uuid primary key, tool text not null, arguments text not null, state text not null, result text,
  created_at timestamptz not null default now(), claimed_at timestamptz, settled_at timestamptz)`);

const insert = `insert into bare (id, tool, arguments, state) values ($1, $2, $3, 'PENDING') returning id`;
const claim = `update bare set state = 'EXECUTING', claimed_at = now() where id = $1 and state = 'PENDING' returning id`;
const settle = `update bare set state = 'SUCCEEDED', result = $2, settled_at = now()
  where id = $1 and state = 'EXECUTING' returning id`;

contend(async () => {
  const id = randomUUID();
  const args = newArguments();
  await one('insert', insert, [id, tool, args]);
  await one('claim', claim, [id]);
  await one('settle', settle, [id, await post(id, args)]);
});
