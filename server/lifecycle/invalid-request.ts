import type { ActionableError } from '../domain/error.ts';
import { CallError } from '../domain/error.ts';

/** A request that can never succeed as it is. */
export function invalidRequest(detail: Omit<ActionableError, 'code' | 'effect' | 'retryable'>): CallError {
  return new CallError('INVALID_REQUEST', detail);
}
