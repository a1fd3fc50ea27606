import { setTimeout as timer } from 'node:timers/promises';
import type { Log } from '../lifecycle/ports/process.ts';
import type { Readiness, Standing } from '../lifecycle/ports/readiness.ts';

/** The readiness of this process, and what it is told. */
export interface OwnReadiness extends Readiness {
  /** The database is prepared: from now on whether it answers decides. */
  prepared(): void;
  /** Not ready for good. */
  drain(): void;
  close(): Promise<void>;
}

export interface ReadinessOptions {
  /** Asks the database for a sign of life; rejects when there is none. */
  readonly ping: () => Promise<void>;
  /** Whether the catalog in force is what its file says. */
  readonly catalogIsCurrent: () => boolean;
  readonly log: Log;
  /** Between two looks, milliseconds; default 1,000. */
  readonly everyMs?: number;
}

/** A database that takes longer to answer `select 1` is none to send calls to, milliseconds. */
const patienceMs = 3_000;

/** Looks once a second whether the database answers, however many ask. */
export function createReadiness({ ping, catalogIsCurrent, log, everyMs = 1_000 }: ReadinessOptions): OwnReadiness {
  const closing = new AbortController();
  const followers = new Set<{ readonly changed: (standing: Standing) => void }>();
  let phase: 'starting' | 'serving' | 'draining' = 'starting';
  let answers = false;
  let told: Standing['status'] = 'starting';

  const standing = (): Standing => ({
    status: phase === 'serving' ? (answers ? 'ready' : 'unavailable') : phase,
    checks: {
      database: answers ? (phase === 'starting' ? 'preparing' : 'ok') : 'unreachable',
      catalog: catalogIsCurrent() ? 'ok' : 'stale',
    },
  });

  function tell(): void {
    const now = standing();
    if (now.status === told) return;
    if (now.status === 'unavailable') log.warn({}, 'the database does not answer: not ready');
    if (now.status === 'ready' && told === 'unavailable') log.info({}, 'the database answers: ready again');
    told = now.status;
    for (const { changed } of followers) changed(now);
  }

  function heard(sign: boolean): void {
    answers = sign;
    tell();
  }

  /** An answer counts also when it comes late; silence is told while it lasts. One that failed is asked for once more: its
   * connection may have been an old one. */
  async function look(): Promise<void> {
    const silence = setTimeout(() => heard(false), patienceMs);
    const asked = ping().catch(() => ping());
    await asked
      .then(
        () => true,
        () => false,
      )
      .then((sign) => {
        clearTimeout(silence);
        heard(sign);
      });
  }

  async function keepLooking(): Promise<void> {
    while (!closing.signal.aborted) {
      await look();
      await timer(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }
  void keepLooking();

  return {
    standing,
    follow(changed) {
      const follower = { changed };
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    prepared() {
      if (phase === 'starting') phase = 'serving';
      answers = true;
      tell();
    },
    drain() {
      phase = 'draining';
      tell();
    },
    async close() {
      closing.abort();
    },
  };
}
