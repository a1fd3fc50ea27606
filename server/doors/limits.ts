/** What the doors hold callers to. */
export interface DoorLimits {
  /**
   * The largest request, bytes, unpacked. Arguments may have 262,144 bytes, and JSON inside a JSON string takes up to three times
   * its size (an encoder that escapes everything beyond ASCII); the default, 1,048,576, leaves room for both.
   */
  readonly requestBytes: number;
  /** Calls that one credential may make in a second at this server; 0 for any number. */
  readonly callsPerSecond: number;
  /** Credentials that do not count, from one address, in a second; 0 for any number. */
  readonly failedKeysPerSecond: number;
}

export const defaultLimits: DoorLimits = {
  requestBytes: 1_048_576,
  callsPerSecond: 1000,
  failedKeysPerSecond: 20,
};
