/** What the doors hold callers to. */
export interface DoorLimits {
  /**
   * The largest request, bytes, unpacked. Arguments may have 262,144 bytes, and JSON inside a JSON string takes up to three times
   * its size (an encoder that escapes everything beyond ASCII); the default, 1,048,576, leaves room for both.
   */
  readonly requestBytes: number;
  /** Connections to each door; beyond it new ones are closed at once. */
  readonly connections: number;
  /** How long a request may take to arrive, milliseconds. */
  readonly requestMs: number;
  readonly http: {
    /** Bytes of a request's headers, how many there may be, and how many milliseconds they may take. */
    readonly headerBytes: number;
    readonly headers: number;
    readonly headersMs: number;
    /** How long an answer that is written may lie unread, milliseconds. */
    readonly unreadMs: number;
  };
  readonly grpc: {
    /** Calls under way on one connection. */
    readonly streams: number;
    /** How long a connection is kept without a call, milliseconds. */
    readonly idleMs: number;
    /**
     * When clients are told to connect anew, give or take a tenth, so that load balancers can share them out among servers that came
     * later; and how long calls under way have then. Milliseconds; an age of 0 is none.
     */
    readonly ageMs: number;
    readonly graceMs: number;
    /** How often a client is asked whether it is there, and how long it has to say so, milliseconds. */
    readonly pingEveryMs: number;
    readonly pingTimeoutMs: number;
  };
  /** Calls that one credential may make in a second at this server; 0 for any number. */
  readonly callsPerSecond: number;
  /** Streams without an end of their own that one credential may have open at this server; 0 for any number. */
  readonly streamsPerCredential: number;
  /** Credentials that do not count, from one address, in a second; 0 for any number. */
  readonly failedKeysPerSecond: number;
}

/** Limits where they are other than usual. */
export interface SomeLimits extends Partial<Omit<DoorLimits, 'http' | 'grpc'>> {
  readonly http?: Partial<DoorLimits['http']>;
  readonly grpc?: Partial<DoorLimits['grpc']>;
}

const defaultLimits: DoorLimits = {
  requestBytes: 1_048_576,
  connections: 4096,
  requestMs: 60_000,
  http: { headerBytes: 16_384, headers: 100, headersMs: 20_000, unreadMs: 60_000 },
  grpc: {
    streams: 1000,
    idleMs: 300_000,
    ageMs: 1_800_000,
    graceMs: 300_000,
    pingEveryMs: 60_000,
    pingTimeoutMs: 20_000,
  },
  callsPerSecond: 1000,
  failedKeysPerSecond: 20,
  streamsPerCredential: 100,
};

export function limitsWith(some: SomeLimits = {}): DoorLimits {
  return {
    ...defaultLimits,
    ...some,
    http: { ...defaultLimits.http, ...some.http },
    grpc: { ...defaultLimits.grpc, ...some.grpc },
  };
}
