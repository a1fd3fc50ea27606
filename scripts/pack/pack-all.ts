import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packOne, type Tarball } from './pack-one.ts';
import { packages } from './packages.ts';

/** The tarballs of all packages that are published, in a folder that is made if it is not there. The sources are left alone. */
export async function packAll(out: string): Promise<Tarball[]> {
  mkdirSync(out, { recursive: true });
  const staging = await mkdtemp(join(tmpdir(), 'tether-pack-'));
  try {
    const tarballs: Tarball[] = [];
    for (const published of packages) tarballs.push(await packOne(published, staging, out));
    return tarballs;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
