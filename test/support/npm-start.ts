/** `npm start`, as a reader of the documents has it running, on free ports and in a data directory of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Addresses {
  readonly http: string;
  readonly grpc: string;
  readonly vendor: string;
}

export interface NpmStart {
  /** Host and port of the server's doors and of the example's endpoint; rejects when it does not start. */
  readonly addresses: Promise<Addresses>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export function npmStart(dataDir: string): NpmStart {
  const env = { ...process.env, TETHER_DATA_DIR: dataDir, TETHER_HTTP_PORT: '0', TETHER_GRPC_PORT: '0', POS_PORT: '0' };
  const child = spawn(process.execPath, [join('scripts', 'start.ts')], {
    ...{ cwd: root, env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const addresses = new Promise<Addresses>((resolve, reject) => {
    const look = (line: string) => {
      said.push(line);
      const text = said.join('\n');
      const [, http, grpc] = /tether is ready: HTTP http:\/\/(\S+?), gRPC (\S+)/.exec(text) ?? [];
      const vendor = /point of sale answers on http:\/\/([^\s/]+)/.exec(text)?.[1];
      if (http !== undefined && grpc !== undefined && vendor !== undefined) resolve({ http, grpc, vendor });
    };
    createInterface(child.stdout).on('line', look);
    createInterface(child.stderr).on('line', look);
    child.on('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${said.join('\n')}`)));
  });
  return {
    addresses,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}
