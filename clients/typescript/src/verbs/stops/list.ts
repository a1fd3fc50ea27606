import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import { type Stop, stopFromWire } from '../../wire/stop.ts';

export async function listStops(connection: Connection, options?: CallOptions): Promise<readonly Stop[]> {
  const { stops } = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.stops.listStops({}, rpc) },
    options,
  );
  return stops.map(stopFromWire);
}
