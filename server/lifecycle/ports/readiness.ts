/** Whether this server can do its work just now. Implemented by process; the doors tell it to whoever asks. */

/** `starting`: it has not prepared its database yet. `unavailable`: the database does not answer. */
export type ReadinessStatus = 'starting' | 'ready' | 'unavailable' | 'draining';

export interface Standing {
  readonly status: ReadinessStatus;
  readonly checks: {
    /** `preparing`: it was reached, and the schema or the jobs are not there yet. */
    readonly database: 'ok' | 'preparing' | 'unreachable';
    /** `stale`: the file has problems, and what it said before is in force. That is no reason to send calls elsewhere. */
    readonly catalog: 'ok' | 'stale';
  };
}

/** What was found at the last look; asking costs nothing. */
export interface Readiness {
  standing(): Standing;
  /** Calls back after each change of the status; returns how to stop it. */
  follow(changed: (standing: Standing) => void): () => void;
}
