/** A call as plain JSON over HTTP, whichever server took it in: from the bytes of its body to status and text. */
import type { Endpoint } from '../endpoint.ts';
import { MalformedCall } from '../invocation.ts';
import type { Outcome, ProbeOutcome } from '../outcome.ts';
import type { HeaderOf } from '../signature.ts';
import { objectText, refusalText } from './json-text.ts';
import { type Envelope, readEnvelope } from './read-envelope.ts';

export interface JsonAnswer {
  readonly status: number;
  /** JSON text; its type is `jsonType`. */
  readonly body: string;
}

export const jsonType = 'application/json; charset=utf-8';

/** Never rejects. */
export async function answerJson(endpoint: Endpoint, body: Uint8Array, header: HeaderOf): Promise<JsonAnswer> {
  try {
    const fault = await endpoint.checkSignature(body, header);
    if (fault !== undefined) return trouble(401, 'unauthenticated', fault);
    let envelope: Envelope;
    try {
      envelope = readEnvelope(body, header);
    } catch (error) {
      if (!(error instanceof MalformedCall)) throw error;
      endpoint.notRead('malformed', error);
      return trouble(400, 'malformed_call', error.message, error.field);
    }
    if (envelope.kind === 'probe') return probeAnswer(await endpoint.probe(envelope.question));
    return answer(await endpoint.invoke(envelope.invocation));
  } catch (error) {
    endpoint.notRead('failed', error);
    return failed;
  }
}

/** What never got to the endpoint. */
export function trouble(status: number, error: string, message: string, field?: string): JsonAnswer {
  return { status, body: JSON.stringify({ error, message, field }) };
}

function answer(outcome: Outcome): JsonAnswer {
  switch (outcome.kind) {
    case 'result':
      return { status: 200, body: outcome.json };
    case 'refused':
      return { status: 200, body: refusalText(outcome.refusal) };
    case 'late':
      // A status that Tether takes as "nothing was done, and may be confirmed again".
      return trouble(425, outcome.code, outcome.message);
    case 'failed':
      return failed;
  }
}

function probeAnswer(outcome: ProbeOutcome): JsonAnswer {
  if (outcome.kind === 'failed') return failed;
  const result = outcome.kind === 'executed' ? outcome.result : undefined;
  const refusal = outcome.kind === 'not_executed' && outcome.refusal ? refusalText(outcome.refusal) : undefined;
  const disposition = JSON.stringify(outcome.kind);
  return { status: 200, body: objectText([...Object.entries({ disposition, result, refusal })]) };
}

const failed: JsonAnswer = trouble(500, 'internal', 'The call failed, and may have been carried out before it did.');
