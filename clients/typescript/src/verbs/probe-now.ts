import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import { type Action, actionOf } from '../wire/action.ts';
import { type ProbeDisposition, probeDisposition } from '../wire/enums.ts';
import { dateIf } from '../wire/time.ts';

export interface Probed {
  /** What the endpoint said; UNKNOWN also when it could not be asked. */
  readonly disposition: ProbeDisposition;
  /** True when the answer settled the doubt. */
  readonly settled: boolean;
  readonly action: Action;
  /** The exact text for the model's transcript. */
  readonly modelJson: string;
  /** When it is asked again by itself; not there when it is not. */
  readonly nextProbeAt?: Date;
}

export async function probeNow(
  connection: Connection,
  input: { readonly actionId: string },
  options?: CallOptions,
): Promise<Probed> {
  const { actionId } = input;
  const answer = await make(
    connection,
    {
      repeat: 'never',
      findOut: [{ action: 'get', arguments: { action_id: actionId }, description: 'Read what is known now.' }],
      send: (rpc) => connection.actions.probeNow({ actionId }, rpc),
    },
    options,
  );
  const { settled, modelJson, nextProbeAt } = answer;
  const disposition = probeDisposition(answer.disposition);
  return { disposition, settled, action: actionOf(answer), modelJson, nextProbeAt: dateIf(nextProbeAt) };
}
