import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Certificates in files, as the doors read them, in a folder of the test's own. */
export interface FilesOfTls {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | null;
  /** Puts others in their place. */
  replace(contents: Partial<Contents>): Promise<void>;
}

export interface Contents {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
}

export async function filesOfTls(contents: Contents): Promise<FilesOfTls> {
  const folder = await mkdtemp(join(tmpdir(), 'tether-tls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, `${name}.pem`);
  const replace = async (others: Partial<Contents>) => {
    for (const [name, text] of Object.entries(others)) await writeFile(at(name), text);
  };
  await replace(contents);
  return {
    cert: at('cert'),
    key: at('key'),
    clientCa: contents.clientCa === undefined ? null : at('clientCa'),
    replace,
  };
}
