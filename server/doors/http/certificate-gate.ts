import { CallError } from '../../domain/error.ts';
import type { Shown } from '../tls/shown-certificates.ts';

const why: Readonly<Record<Exclude<Shown, 'good'>, string>> = {
  none: 'this connection shows none',
  'not good': 'that of this connection is not, or is out of date',
};

/** What is said to who shows no certificate that counts. It is a second lock beside the key, and tells nobody who is calling. */
export function certificateMissing(shown: Exclude<Shown, 'good'>): CallError {
  return new CallError('UNAUTHENTICATED', {
    message: `This server lets in only callers with a client certificate of an authority that it knows, and ${why[shown]}. Connect anew with one; the bearer key is needed beside it.`,
    field: 'client certificate',
  });
}
