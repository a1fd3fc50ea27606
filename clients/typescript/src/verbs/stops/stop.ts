import type { MessageInitShape } from '@bufbuild/protobuf';
import { StopKind as WireKind } from '@tether/proto/clients/tether/v1/stop_pb.ts';
import type { StopRequestSchema } from '@tether/proto/clients/tether/v1/stop_service_pb.ts';
import type { CallOptions } from '../../call/call-options.ts';
import type { Connection } from '../../call/connection.ts';
import { make } from '../../call/make.ts';
import { type Stop, stopOf } from '../../wire/stop.ts';

/** What to stop, or to resume. */
export type StopInput = (
  | { readonly kind: 'TOOL' | 'ENDPOINT' /** As the catalog declares it. */; readonly name: string }
  | { readonly kind: 'TENANT'; readonly name?: undefined }
) & {
  /** Why, at most 1024 characters; told to everybody who meets the stop. */
  readonly reason?: string;
};

export async function stop(connection: Connection, input: StopInput, options?: CallOptions): Promise<Stop> {
  const request = stopRequest(input);
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'list_stops', description: 'List what is stopped.' }],
      send: (rpc) => connection.stops.stop(request, rpc),
    },
    options,
  );
  return stopOf(answer);
}

/** The request of Stop; that of Resume has the same fields. */
export function stopRequest({
  kind,
  name,
  reason,
}: StopInput): Omit<MessageInitShape<typeof StopRequestSchema>, '$typeName' | '$unknown'> {
  return { kind: WireKind[kind], name, reason };
}
