import { CallError } from '../../domain/error.ts';

/** The same for an id that never was and for another tenant's. */
export function credentialNotFound(credentialId: string): CallError {
  return new CallError('CREDENTIAL_NOT_FOUND', {
    message: 'This tenant has no credential with this id; List tells which it has.',
    field: 'credential_id',
    receivedJson: JSON.stringify(credentialId),
  });
}
