/** The exact text for a model's transcript, in the reference's shape and spelling (DESIGN §2.1, §3.1). */
import type { Action, Observed } from './action.ts';
import { isPastExpiry, resultOf } from './action.ts';
import type { ActionableError, Alternative } from './error.ts';
import { callErrorCodes, outcomeErrorCodes } from './error.ts';
import { acknowledgementReasons } from './guard.ts';
import { errorOf } from './outcome.ts';
import { shown } from './preview.ts';

const ownCodes: ReadonlySet<string> = new Set([...callErrorCodes, ...outcomeErrorCodes]);

/** An object whose values are JSON text already, so that a result is never re-serialised. */
type Fields = [name: string, json: string | undefined][];

function object(fields: Fields): string {
  const present = fields.filter(([, json]) => json !== undefined && json !== '');
  return `{${present.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

const text = (value: string): string => JSON.stringify(value);
const when = (value: boolean, json = 'true'): string | undefined => (value ? json : undefined);
/** ISO 8601 with its zone, whole seconds, rounded down. */
const time = (value: Date): string => text(`${value.toISOString().slice(0, 19)}Z`);

/** The preview of an action that waits, or the outcome of any other. */
export function modelText(observed: Observed, { idempotentReplay }: { readonly idempotentReplay: boolean }): string {
  const waits = observed.action.state === 'PENDING' && !isPastExpiry(observed);
  return waits ? previewText(observed, idempotentReplay) : outcomeText(observed, idempotentReplay);
}

function previewText(observed: Observed, idempotentReplay: boolean): string {
  const { action } = observed;
  const reasons = acknowledgementReasons(action);
  const error = errorOf(observed);
  return object([
    ['preview', 'true'],
    ['action_id', text(action.id)],
    ['plan_id', text(action.planId)],
    ['command_type', text(action.tool)],
    ['summary', text(shown(action.summary))],
    ['expires_at', time(action.expiresAt)],
    ['confirmation_required', 'true'],
    ['preview_digest', text(action.previewDigest)],
    ['acknowledgement_required', when(reasons.length > 0)],
    ['acknowledgement_reasons', when(reasons.length > 0, JSON.stringify(reasons))],
    ['idempotent_replay', when(idempotentReplay)],
    ...(error === null ? [] : errorFields(error)),
  ]);
}

function outcomeText(observed: Observed, idempotentReplay: boolean): string {
  const { action } = observed;
  const error = errorOf(observed);
  return object([
    ...identity(action),
    ['result', resultOf(action) ?? undefined],
    ['verification', verificationText(action)],
    ['superseded_by', action.supersededBy === null ? undefined : text(action.supersededBy)],
    ...(error === null ? ([['effect', text(action.effect)]] satisfies Fields) : errorFields(error)),
    ['idempotent_replay', when(idempotentReplay)],
  ]);
}

/** Whether a success was seen to have happened; nothing while nobody has looked. */
function verificationText({ verification }: Action): string | undefined {
  if (verification === null || verification.state === 'DUE') return undefined;
  return object([
    ['state', text(verification.state)],
    ['reason', text(verification.reason)],
  ]);
}

function identity(action: Action): Fields {
  return [
    ['action_id', text(action.id)],
    ['command_type', text(action.tool)],
    ['state', text(action.state)],
  ];
}

/** A call that was refused, as the model reads it. */
export function errorText(error: ActionableError): string {
  return object(errorFields(error));
}

/** An error as the model reads it: Tether's own codes in lower snake case, a vendor's as the vendor spells it. */
function errorFields(error: ActionableError): Fields {
  return [
    ['error', text(ownCodes.has(error.code) ? error.code.toLowerCase() : error.code)],
    ['message', text(error.message)],
    ['field', error.field === undefined ? undefined : text(error.field)],
    ['received', error.receivedJson],
    ['limit', error.limitJson],
    ['accepted', error.acceptedJson?.length ? `[${error.acceptedJson.join(',')}]` : undefined],
    ['effect', text(error.effect)],
    ['retryable', String(error.retryable)],
    ['retry_after_seconds', error.retryAfterSeconds === undefined ? undefined : String(error.retryAfterSeconds)],
    ['alternatives', error.alternatives?.length ? `[${error.alternatives.map(alternative).join(',')}]` : undefined],
  ];
}

function alternative({ action, tool, argumentsJson, description, extraJson }: Alternative): string {
  const known = object([
    ['action', text(action)],
    ['tool', tool === undefined ? undefined : text(tool)],
    ['arguments', argumentsJson],
    ['description', description === undefined ? undefined : text(description)],
  ]);
  const said = extraJson?.trim().slice(1, -1).trim();
  return said ? `${known.slice(0, -1)},${said}}` : known;
}
