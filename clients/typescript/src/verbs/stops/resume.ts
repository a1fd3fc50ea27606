import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import { type Stop, stopOf } from '../../wire/stop.ts';
import { type StopInput, stopRequest } from './stop.ts';

/** Resolves with the stop that was taken back. */
export async function resume(connection: Connection, input: StopInput, options?: CallOptions): Promise<Stop> {
  const request = stopRequest(input);
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'list_stops', description: 'List what is stopped.' }],
      send: (rpc) => connection.stops.resume(request, rpc),
    },
    options,
  );
  return stopOf(answer);
}
