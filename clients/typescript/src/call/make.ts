import type { CallOptions as RpcOptions } from '@connectrpc/connect';
import type { CallOptions } from './call-options.ts';
import type { Connection } from './connection.ts';
import { createTries, type Policy } from './tries.ts';

/** One call, as often as it may be sent. */
export interface Call<T> extends Policy {
  send(options: RpcOptions): Promise<T>;
}

/** Makes a call, again where its policy says so, within its time. Rejects with a TetherError. */
export async function make<T>(connection: Connection, call: Call<T>, options?: CallOptions): Promise<T> {
  const tries = createTries(connection, call, options);
  for (;;) {
    const rpc = await tries.begin();
    try {
      return await call.send(rpc);
    } catch (thrown) {
      await tries.failed(thrown);
    }
  }
}
