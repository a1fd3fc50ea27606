/** Where a command writes. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Exit code for a command that was called in a wrong way, and for a catalog that cannot be used. */
export const usageFault = 2;
