/** Sizes that the doors hold, in bytes. */
export interface DoorLimits {
  /**
   * The largest request. Arguments may have 262,144 bytes, and JSON inside a JSON string takes up to three times its size
   * (an encoder that escapes everything beyond ASCII); the default, 1,048,576, leaves room for both.
   */
  readonly requestBytes: number;
}

export const defaultLimits: DoorLimits = { requestBytes: 1_048_576 };
