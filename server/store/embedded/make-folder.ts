import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those that it lies in. Node's own recursive way tries for ever where folders cannot be made although the one that
 * they would lie in is there, as in /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await made(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch(unlessThere);
}

/** Whether it is there now; false when the folder is missing that it would lie in. */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path).catch(unlessThere);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}

/** Whatever is there: what is done with it will say if it is no folder. */
function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
