import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { ActionableError, Alternative } from '@tether/proto/tether/v1/error_pb.ts';
import { callErrorCodes, outcomeErrorCodes } from '../../domain/error.ts';
import { formOf, nameOf } from './field-form.ts';
import { rawOf } from './json-members.ts';
import { type Member, objectText } from './json-text.ts';
import { routes } from './routes.ts';

/** Errors that speak of the request itself. In all others the words may be a tool's, a vendor's or a person's. */
const aboutRequests: ReadonlySet<string> = new Set([
  'ACTION_NOT_FOUND',
  'ACTION_SETTLED',
  'CONFIRM_IN_FLIGHT',
  'CREDENTIAL_NOT_FOUND',
  'DELIVERY_NOT_FOUND',
  'IDEMPOTENCY_KEY_REUSED',
  'INVALID_CURSOR',
  'INVALID_REQUEST',
  'LAST_OPERATOR',
  'NOT_IN_DOUBT',
  'OUTCOME_INDETERMINATE',
  'PERMISSION_DENIED',
  'PREVIEW_DIGEST_MISMATCH',
  'RISK_ACKNOWLEDGEMENT_REQUIRED',
]);

const movesOfOthers = new Set(['AUTHORIZER_DENIED', 'PRECONDITION_NOT_MET', 'REFUSED']);

/** Errors whose moves are Tether's own. The others pass on what a vendor or an authorizer said. */
const ownMoves: ReadonlySet<string> = new Set(
  [...callErrorCodes, ...outcomeErrorCodes].filter((code) => !movesOfOthers.has(code)),
);

/** The contract's names of what a request can hold, with the JSON door's. */
const names: ReadonlyMap<string, string> = new Map(
  routes
    .flatMap(({ method }) => fieldsOf(method.input))
    .map((field) => [field.name, nameOf(field)] as const)
    .filter(([name, own]) => name !== own),
);

function fieldsOf(schema: DescMessage): readonly DescField[] {
  return schema.fields.flatMap((field) => {
    const form = formOf(field);
    return form.kind === 'object' ? [field, ...fieldsOf(form.type)] : [field];
  });
}

/** What stands in quotes is what somebody said, and is left as they said it. */
const inText = new RegExp(
  `(?<!["\\w])(${[...names.keys()].filter((name) => name.includes('_')).join('|')})(?!["\\w])`,
  'g',
);

/** An error of the handlers, which name the contract's fields, with the names that this door's callers know. */
export function inOurWords(error: ActionableError): ActionableError {
  const { code, field, message } = error;
  const alternatives = ownMoves.has(code) ? error.alternatives.map(moveInOurWords) : error.alternatives;
  if (!aboutRequests.has(code)) return { ...error, alternatives };
  const own = field.split('/').map(renamed).join('/');
  const begins = field !== '' && message.startsWith(`${field} `);
  return {
    ...error,
    field: own,
    message: renamedIn(begins ? own + message.slice(field.length) : message),
    alternatives,
  };
}

/** A move of Tether's own has a request's fields for arguments; a tool's arguments are the tool's. */
function moveInOurWords(move: Alternative): Alternative {
  const { argumentsJson, tool } = move;
  const description = renamedIn(move.description);
  if (argumentsJson === '' || tool !== '') return { ...move, description };
  return { ...move, description, argumentsJson: argumentsInOurWords(argumentsJson) };
}

/** A vendor may spell a code of its own like one of ours, and propose what is no object: that stays as it is. */
function argumentsInOurWords(text: string): string {
  const raw = rawOf(text);
  if (raw.type !== 'object') return text;
  const members = (raw.node.children ?? []).flatMap(({ children: [name, value] = [] }): Member[] =>
    name === undefined || value === undefined
      ? []
      : [[renamed(String(name.value)), text.slice(value.offset, value.offset + value.length)]],
  );
  return objectText(members);
}

function renamed(name: string): string {
  return names.get(name) ?? name;
}

/** A text with the names that this door's callers know. */
export function renamedIn(text: string): string {
  return text.replace(inText, renamed);
}
