/** A stock client of `grpc.health.v1.Health` that watches. */
import { Client, credentials } from '@grpc/grpc-js';
import { service } from 'grpc-health-check';
import { expect } from 'vitest';

export interface WatchedHealth {
  /** Every status it was told, in order. */
  readonly heard: readonly string[];
  /** Resolves when that is the newest. */
  until(status: string): Promise<void>;
  close(): void;
}

/** Resolves once it was told the first status. */
export async function watchHealth(address: string, name: string): Promise<WatchedHealth> {
  const client = new Client(address, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = service.Watch ?? expect.fail('there is no Watch');
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service: name });
  const heard: string[] = [];
  const waiting = new Set<() => void>();
  call.on('error', () => undefined);
  call.on('data', ({ status }: { status: string }) => {
    heard.push(status);
    for (const look of waiting) look();
  });
  const told = (fits: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!fits()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  await told(() => heard.length > 0);
  return {
    heard,
    until: (status) => told(() => heard.at(-1) === status),
    close() {
      call.cancel();
      client.close();
    },
  };
}
