import type { DescMessage } from '@bufbuild/protobuf';
import type { ActionableError } from '../domain/error.ts';
import { CallError } from '../domain/error.ts';
import type { DoorLimits } from './limits.ts';

/** What a request that cannot be understood is answered with: nothing was recorded, nothing ran, a repeat is no use. */
export function invalidRequest(
  fault: Pick<ActionableError, 'message'> &
    Partial<Pick<ActionableError, 'field' | 'receivedJson' | 'limitJson' | 'acceptedJson' | 'alternatives'>>,
): CallError {
  return new CallError('INVALID_REQUEST', fault);
}

/** A message beyond what a door takes. */
export function tooLarge(limitBytes: number, receivedBytes?: number): CallError {
  const received = receivedBytes === undefined ? 'This one is larger' : `This one has ${receivedBytes}`;
  return invalidRequest({
    message: `A request may have at most ${limitBytes} bytes. ${received}.`,
    receivedJson: receivedBytes === undefined ? undefined : String(receivedBytes),
    limitJson: String(limitBytes),
  });
}

/** A request that is not all there when it should be. */
export function tooSlow({ requestMs }: DoorLimits): CallError {
  return invalidRequest({
    message: `The request did not arrive in time: it has ${requestMs / 1000} seconds.`,
    limitJson: JSON.stringify(`${requestMs / 1000}s`),
  });
}

/** Bytes that are no message of the kind that the RPC takes. */
export function unreadable({ name, typeName }: DescMessage, why: string): CallError {
  return invalidRequest({ message: `The request is no ${name} (${typeName}): ${why}.` });
}
