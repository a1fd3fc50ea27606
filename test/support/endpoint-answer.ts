import type { StatusCode } from '../../server/dispatch/transport.ts';
import type { Effect } from '../../server/domain/action.ts';
import type { EndpointTransport } from '../../server/domain/endpoint.ts';
import type { ProbeDisposition } from '../../server/lifecycle/ports/dispatcher.ts';

/** One call as a vendor sees it, whatever it came over. A probe has no arguments and no deadline. */
export interface EndpointCall {
  readonly transport: EndpointTransport;
  /** The idempotency key of the metadata, next to the one in the request. */
  readonly idempotencyKey: string;
  readonly requestId: string;
  readonly tool: string;
  /** JSON text; of the JSON transport, the bytes between `"args":` and `,"tenant"`. */
  readonly argumentsJson: string;
  readonly tenant: { readonly id: string; readonly scope: string; readonly userId: string };
  readonly isWrite: boolean;
  readonly mode: string;
  readonly actionId: string;
  readonly attempt: number;
  readonly deadline: Date;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request as it came; only of the JSON transport. */
  readonly body: string;
}

/** One question of the authorizer's, whatever it came over. */
export interface EndpointPetition {
  readonly transport: EndpointTransport;
  readonly action: {
    readonly id: string;
    readonly tenantId: string;
    readonly tool: string;
    readonly argumentsJson: string;
    readonly summary: string;
    readonly previewDigest: string;
    readonly proposedBy: { readonly credentialId: string; readonly userId: string };
  };
  readonly approver: { readonly credentialId: string; readonly userId: string };
  readonly headers: Readonly<Record<string, string>>;
  /** The request as it came; only of the JSON transport. */
  readonly body: string;
}

/** What a vendor says of a refusal or failure; the fields of an ActionableError. */
export interface VendorError {
  readonly code?: string;
  readonly message?: string;
  readonly field?: string;
  readonly receivedJson?: string;
  readonly limitJson?: string;
  readonly acceptedJson?: readonly string[];
  readonly effect?: Effect;
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number;
}

/**
 * What the endpoint does with a call. `applied` says whether it made the change before: true by default for a result,
 * false for everything else.
 */
export type EndpointAnswer = { readonly applied?: boolean } & (
  | /** Success with this JSON text. */ { readonly kind: 'result'; readonly json: string }
  | /** A refusal the vendor means: 200 with an `error`, or `InvokeResponse.refusal`. */ {
      readonly kind: 'refusal';
      readonly error: VendorError;
    }
  | /** What became of a write; only of a probe. */ {
      readonly kind: 'probed';
      readonly disposition: ProbeDisposition;
      readonly json?: string;
      readonly refusal?: VendorError;
    }
  | /** Whether a confirm may go on; only of an authorizer. */ {
      readonly kind: 'decided';
      readonly allowed: boolean;
      readonly reason?: VendorError;
    }
  | /** This HTTP status and body; not over gRPC. */ {
      readonly kind: 'http';
      readonly status: number;
      readonly body?: string | Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | /** This status from the handler; not over JSON. */ {
      readonly kind: 'status';
      readonly code: StatusCode;
      readonly message?: string;
      readonly detail?: VendorError;
    }
  | /** An answer of the right kind with nothing in it; not over JSON. */ { readonly kind: 'empty' }
  | /** Never answers; the call stays open. */ { readonly kind: 'silence' }
  | /** Drops the connection. */ { readonly kind: 'reset' }
  | /** Announces more bytes than it sends, then drops the connection; not over gRPC. */ {
      readonly kind: 'cut';
      readonly body: string;
    }
);

/** The shortest ways to say it. */
export const answers = {
  result: (json: string): EndpointAnswer => ({ kind: 'result', json }),
  refusal: (error: VendorError): EndpointAnswer => ({ kind: 'refusal', error }),
  probed: (disposition: ProbeDisposition, json?: string, refusal?: VendorError): EndpointAnswer => ({
    ...{ kind: 'probed', disposition, json, refusal },
  }),
  allowed: (): EndpointAnswer => ({ kind: 'decided', allowed: true }),
  denied: (reason?: VendorError): EndpointAnswer => ({ kind: 'decided', allowed: false, reason }),
  http: (status: number, body?: string | Uint8Array, headers?: Record<string, string>): EndpointAnswer => ({
    ...{ kind: 'http', status, body, headers },
  }),
  status: (code: StatusCode, message?: string, detail?: VendorError): EndpointAnswer => ({
    ...{ kind: 'status', code, message, detail },
  }),
  /** The handler breaks: 500, or INTERNAL. `applied` when it had committed before. */
  broken: (transport: EndpointTransport, applied = false): EndpointAnswer =>
    transport === 'json'
      ? { kind: 'http', status: 500, body: '{"message":"stack trace"}', applied }
      : { kind: 'status', code: 'INTERNAL', message: 'stack trace', applied },
  silence: (applied = false): EndpointAnswer => ({ kind: 'silence', applied }),
  reset: (applied = false): EndpointAnswer => ({ kind: 'reset', applied }),
  cut: (body: string, applied = false): EndpointAnswer => ({ kind: 'cut', body, applied }),
};

/** Decides about a call: an answer, or a function that may wait for a gate first. */
export type EndpointScript<Call = EndpointCall> =
  | EndpointAnswer
  | ((call: Call) => EndpointAnswer | Promise<EndpointAnswer>);

/** What a plain JSON handler sends for an answer that has a body of its own; undefined for one that has none. */
export function answerBody(answer: EndpointAnswer): string | undefined {
  switch (answer.kind) {
    case 'result':
      return answer.json;
    case 'refusal':
      return refusalBody(answer.error);
    case 'probed': {
      const { disposition, json, refusal } = answer;
      const result = json === undefined ? '' : `,"result":${json}`;
      return `{"disposition":"${disposition.toLowerCase()}"${result}${refusal ? `,"refusal":${refusalBody(refusal)}` : ''}}`;
    }
    case 'decided':
      return `{"allowed":${answer.allowed}${answer.reason ? `,"reason":${refusalBody(answer.reason)}` : ''}}`;
    default:
      return undefined;
  }
}

/** The refusal in the JSON that a plain handler sends (DESIGN §3.1). */
function refusalBody(error: VendorError): string {
  const members: [string, string | undefined][] = [
    ['error', JSON.stringify(error.code ?? error.message ?? 'refused')],
    ['message', error.code && error.message && JSON.stringify(error.message)],
    ['field', error.field && JSON.stringify(error.field)],
    ['received', error.receivedJson],
    ['limit', error.limitJson],
    ['accepted', error.acceptedJson && `[${error.acceptedJson.join(',')}]`],
    ['effect', error.effect && JSON.stringify(error.effect)],
    ['retryable', error.retryable === undefined ? undefined : String(error.retryable)],
    ['retry_after_seconds', error.retryAfterSeconds?.toString()],
  ];
  const written = members.filter(([, json]) => json !== undefined && json !== '');
  return `{${written.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}
