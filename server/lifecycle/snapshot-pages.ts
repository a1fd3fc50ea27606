import type { Observed } from '../domain/action.ts';
import type { ActionStore, ListQuery, Page } from './ports/action-store.ts';
import type { Clock } from './ports/process.ts';

/** A moment in the order of everything that was asked for here. */
export type Moment = number;

/** The pages of watchers' snapshots. */
export interface SnapshotPages {
  /** Call it when the end of the trail is known: a page counts that was begun to be read later than that. */
  now(): Moment;
  read(query: ListQuery, since: Moment): Promise<Page>;
}

/** Reads of pages at the same time; more wait in line, so that watchers never take more of the database than this. */
const atOnce = 2;
/** How long a page is kept for others who ask for the same, milliseconds, and how much is kept at most, in characters. */
const keepMs = 5_000;
const keepAtMost = 16_000_000;

interface Read {
  readonly begun: Moment;
  readonly page: Promise<Page>;
}

/**
 * Many who watch the same begin together: after a restart of a server, or of a network. Who asks for a page that somebody else has
 * had read, after the moment from which changes will be told, gets that one: what has changed since will be told as a change.
 */
export function createSnapshotPages(store: Pick<ActionStore, 'list'>, clock: Pick<Clock, 'delay'>): SnapshotPages {
  const line: (() => void)[] = [];
  const kept = new Map<string, Read>();
  let moment: Moment = 0;
  let reading = 0;
  let keeping = 0;

  async function inLine<T>(read: () => Promise<T>): Promise<T> {
    if (reading >= atOnce) await new Promise<void>((resolve) => line.push(resolve));
    else reading += 1;
    try {
      return await read();
    } finally {
      // The place goes to who is next, and stays taken.
      const next = line.shift();
      if (next === undefined) reading -= 1;
      else next();
    }
  }

  function keep(key: string, read: Read, page: Page): void {
    const weight = page.items.reduce((sum, each) => sum + weightOf(each), 0);
    if (kept.get(key) !== read) return;
    const forget = () => {
      if (kept.get(key) === read) kept.delete(key);
    };
    if (keeping + weight > keepAtMost) {
      forget();
      return;
    }
    keeping += weight;
    void clock.delay(keepMs, new AbortController().signal).then(() => {
      keeping -= weight;
      forget();
    });
  }

  return {
    now: () => ++moment,
    async read(query, since) {
      const key = JSON.stringify(query);
      const before = kept.get(key);
      if (before !== undefined && before.begun > since) return before.page;
      return inLine(() => {
        // Somebody may have had it read while this one stood in line.
        const meanwhile = kept.get(key);
        if (meanwhile !== undefined && meanwhile.begun > since) return meanwhile.page;
        const read: Read = { begun: ++moment, page: store.list(query) };
        kept.set(key, read);
        read.page.then(
          (page) => keep(key, read, page),
          () => kept.get(key) === read && kept.delete(key),
        );
        return read.page;
      });
    },
  };
}

function weightOf({ action }: Observed): number {
  return action.attempts.reduce((sum, { result }) => sum + (result?.length ?? 0), 1_000 + action.arguments.length);
}
