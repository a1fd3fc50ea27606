import type { Failure } from './transport.ts';

/** Why there was no answer, in words for the log; nothing of what the peer wrote. */
export function faultOf(failure: Failure): string {
  switch (failure.kind) {
    case 'unsent':
    case 'lost':
      return `${failure.kind}, ${failure.why}`;
    case 'too-large':
      return 'an answer over the cap';
    case 'http':
      return `HTTP ${failure.status}`;
    case 'status':
      return failure.code;
    case 'unreadable':
      return 'an answer that cannot be read';
  }
}
