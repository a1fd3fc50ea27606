import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Unpacks what npm packed into a folder, as npm would: without the folder `package` that everything in it is below. */
export async function unpack(tarball: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
}
