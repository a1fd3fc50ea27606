import type { Said } from '../contract/answer.ts';

/** The statuses that Connect and gRPC share, by their numbers. */
export const codes: readonly string[] = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
];

/** What a status of Connect or gRPC means, by the table in docs/endpoint.md. */
export function rpcStatusSaid(code: string, message: string, hasDetails: boolean): Said {
  switch (code) {
    case 'INVALID_ARGUMENT':
    case 'FAILED_PRECONDITION':
    case 'OUT_OF_RANGE':
    case 'ALREADY_EXISTS':
      if (message === '' && !hasDetails) return { kind: 'unreadable', why: `${code} without a message` };
      return { kind: 'refused', refusal: { code, message: message || undefined, effect: 'none' } };
    case 'NOT_FOUND':
    case 'PERMISSION_DENIED':
    case 'UNAUTHENTICATED':
    case 'UNIMPLEMENTED':
      return { kind: 'turned-away', again: false, unauthenticated: code === 'UNAUTHENTICATED' };
    case 'RESOURCE_EXHAUSTED':
    case 'ABORTED':
      return { kind: 'turned-away', again: true, unauthenticated: false };
    case 'UNKNOWN':
    case 'INTERNAL':
    case 'DATA_LOSS':
      return { kind: 'failed' };
    default:
      return { kind: 'unreadable', why: `${code} leaves open what was done` };
  }
}
