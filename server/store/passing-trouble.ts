import { OwnerUnusable } from '../lifecycle/ports/owner-unusable.ts';
import { StoreUnavailable } from '../lifecycle/ports/store-unavailable.ts';
import { sqlStateOf } from './errors.ts';

/** What keeps the way to a database shut and may open again: the system's and the resolver's words for it. */
const waysShut = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENOTFOUND EAI_AGAIN'.split(
    ' ',
  ),
);

/** The driver's own words for a connection that did not come about, or broke. They have no code. */
const driversWords = /^(timeout e|Connection terminated)/;

/** Lost connections (08), want of resources (53: too many connections for one), stopping or starting up (57), a standby. */
const passingStates = /^(08|53|57|25006|40001|40P01)/;

/** Dropped while we were connected: nothing brings it back by itself. */
const databaseDropped = '57P04';

/**
 * What stands between us and the database, if it may be gone by itself later; undefined for what waiting does not heal: a wrong
 * password (28), a database that there is not (3D000), rights that are missing (42501), anything that is not understood.
 */
export function passingTrouble(thrown: unknown): string | undefined {
  const error = thrown instanceof StoreUnavailable || thrown instanceof OwnerUnusable ? thrown.cause : thrown;
  if (!(error instanceof Error)) return undefined;
  const state = sqlStateOf(error);
  if (state !== undefined)
    return passingStates.test(state) && state !== databaseDropped ? `${error.message} (${state})` : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // Node tells of several addresses that all failed without any words of its own.
  if (code !== undefined && waysShut.has(code)) return error.message || code;
  return code === undefined && driversWords.test(error.message) ? error.message : undefined;
}
