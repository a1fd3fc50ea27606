/** What the doors hold callers to. */
export interface DoorLimits {
  /**
   * The largest request, bytes, unpacked. Arguments may have 262,144 bytes, and JSON inside a JSON string takes up to three times
   * its size (an encoder that escapes everything beyond ASCII); the default, 1,048,576, leaves room for both.
   */
  readonly requestBytes: number;
  /** Connections to each door; beyond it new ones are closed at once. */
  readonly connections: number;
  /** What the HTTP door gives a request; the times are milliseconds. */
  readonly http: {
    /** Bytes of the headers, and how many of them. */
    readonly headerBytes: number;
    readonly headers: number;
    /** How long the headers may take, and all of it. */
    readonly headersMs: number;
    readonly requestMs: number;
    /** How long an answer that is written may lie unread. */
    readonly unreadMs: number;
  };
  /** Calls that one credential may make in a second at this server; 0 for any number. */
  readonly callsPerSecond: number;
  /** Credentials that do not count, from one address, in a second; 0 for any number. */
  readonly failedKeysPerSecond: number;
}

export const defaultLimits: DoorLimits = {
  requestBytes: 1_048_576,
  connections: 4096,
  http: { headerBytes: 16_384, headers: 100, headersMs: 20_000, requestMs: 60_000, unreadMs: 60_000 },
  callsPerSecond: 1000,
  failedKeysPerSecond: 20,
};
