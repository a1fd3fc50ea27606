import type {
  Alternative as WireAlternative,
  ActionableError as WireError,
} from '@tether/proto/clients/tether/v1/error_pb.ts';
import type { JsonValue } from '../json/json-number.ts';
import { parseJson } from '../json/parse-json.ts';
import type { ActionableError, Alternative } from '../tether-error.ts';
import { effectOf } from './enums.ts';
import { millisecondsIf } from './time.ts';

export function errorFromWire(error: WireError): ActionableError {
  return {
    code: error.code,
    message: error.message,
    field: error.field || undefined,
    received: jsonIf(error.receivedJson),
    limit: jsonIf(error.limitJson),
    accepted: error.acceptedJson.map((text) => jsonIf(text) ?? null),
    effect: effectOf(error.effect),
    retryable: error.retryable,
    retryAfterMs: millisecondsIf(error.retryAfter),
    alternatives: error.alternatives.map(alternativeFromWire),
  };
}

/**
 * What a JSON text says; undefined for none, and for one that cannot be read here (nested deeper than the stack): what became of
 * a write must not get lost for that, and the text is there beside it.
 */
export function jsonIf(text: string): JsonValue | undefined {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function alternativeFromWire(alternative: WireAlternative): Alternative {
  return {
    action: alternative.action,
    tool: alternative.tool || undefined,
    arguments: jsonIf(alternative.argumentsJson),
    description: alternative.description || undefined,
    extra: jsonIf(alternative.extraJson),
  };
}
