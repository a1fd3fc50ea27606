/** The statuses with which an endpoint answers, by their numbers on the wire; Connect and gRPC share them. */
export const faults = {
  invalid_argument: 3,
  aborted: 10,
  internal: 13,
  unauthenticated: 16,
} as const;

/** A call that is answered with a status. The message is for the caller. */
export class RpcFault extends Error {
  readonly code: (typeof faults)[keyof typeof faults];

  constructor(name: keyof typeof faults, message: string) {
    super(message);
    this.name = 'RpcFault';
    this.code = faults[name];
  }
}
