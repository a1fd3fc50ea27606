/** A move that is open instead; `arguments` are ready to send. */
export interface Alternative {
  readonly action: string;
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly description: string;
}

/** What a refusal says beside its code and message, so that the next call can be computed from it. */
export interface RefusalFields {
  /** The argument that is at fault. */
  readonly field?: string;
  readonly received?: unknown;
  readonly limit?: unknown;
  readonly accepted?: readonly unknown[];
  /** Whether the same call can succeed later. */
  readonly retryable?: boolean;
  readonly alternatives?: readonly Alternative[];
}

/** The shop says no: a normal answer, thrown so that whatever the transaction did is rolled back. */
export class Refused extends Error {
  readonly code: string;
  readonly fields: RefusalFields;

  constructor(code: string, message: string, fields: RefusalFields = {}) {
    super(message);
    this.name = 'Refused';
    this.code = code;
    this.fields = fields;
  }
}

/** The body of a refusal. Nothing was changed, or it would not be one. */
export function refusalBody({ code, message, fields }: Refused): Readonly<Record<string, unknown>> {
  return { error: code, message, effect: 'NONE', retryable: false, ...fields };
}
