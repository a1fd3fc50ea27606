/** Where an embedded PostgreSQL lives. */
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** The paths of one embedded PostgreSQL. */
export interface Home {
  readonly root: string;
  /** PostgreSQL's own data directory. */
  readonly data: string;
  /** The superuser's random password; inside the data, so that neither can be lost without the other. */
  readonly password: string;
  /** The password of the role that the server runs as; also inside the data. */
  readonly appPassword: string;
  /** Locked while any process of this PostgreSQL lives, where there is a flock(1). */
  readonly lock: string;
  readonly log: string;
}

/** The paths below a root. */
export function homeAt(root: string): Home {
  return {
    root,
    data: join(root, 'data'),
    password: join(root, 'data', 'tether-password'),
    appPassword: join(root, 'data', 'tether-app-password'),
    lock: join(root, 'lock'),
    log: join(root, 'postgres.log'),
  };
}

/** The place in the data directory where PostgreSQL lives unless it had to move. */
export async function placeIn(dataDir: string): Promise<string> {
  await makeFolder(join(dataDir, 'postgres'));
  return join(await realpath(dataDir), 'postgres');
}

/** Where PostgreSQL lives: in its place, or where the file `moved-to` in that place says. */
export async function locate(place: string): Promise<Home> {
  try {
    return homeAt((await readFile(movedTo(place), 'utf8')).trim());
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return homeAt(place);
    throw error;
  }
}

/** The file that says where PostgreSQL moved to; its presence means that the data are there. */
export function movedTo(place: string): string {
  return join(place, 'moved-to');
}
