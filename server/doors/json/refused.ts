import type { CallError } from '../../domain/error.ts';

/** A request that plain HTTP has a status of its own for, beside the error that says what is wrong with it. */
export class Refused extends Error {
  readonly status: number;
  readonly error: CallError;

  constructor(status: number, error: CallError) {
    super(error.message);
    this.name = 'Refused';
    this.status = status;
    this.error = error;
  }
}
