/** How a store says that its database is away. */

/** Thrown by a store when the database cannot be reached. */
export class StoreUnavailable extends Error {
  /** False for a read, and when no connection was had: then nothing was written. True when a write's commit was not heard of. */
  readonly mayHaveCommitted: boolean;

  constructor(mayHaveCommitted: boolean, options?: ErrorOptions) {
    super('the database cannot be reached', options);
    this.name = 'StoreUnavailable';
    this.mayHaveCommitted = mayHaveCommitted;
  }
}
