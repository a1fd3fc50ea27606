import type { DescField, DescMessage, JsonValue, Message } from '@bufbuild/protobuf';
import { getOption, hasOption, toJson } from '@bufbuild/protobuf';
import { isReflectList, isReflectMessage, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { Violation } from '@bufbuild/protovalidate';
import { createValidator } from '@bufbuild/protovalidate';
import { FieldRulesSchema, field as rulesOf } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import type { CallError } from '../domain/error.ts';
import { invalidRequest } from './invalid-request.ts';
import { unknownFieldIn } from './unknown-fields.ts';

const validator = createValidator({ failFast: true });

/**
 * The first fault of a request, or undefined: a field that this server does not know, before any rule, since what is missing may
 * stand in it; the rules beside the fields of the contract; and for every text that it is well-formed and holds no NUL, which
 * PostgreSQL's text cannot keep.
 */
export function faultOf(schema: DescMessage, request: Message): CallError | undefined {
  const unknown = unknownFieldIn(schema, request);
  if (unknown !== undefined) return unknown;
  const result = validator.validate(schema, request);
  if (result.kind === 'error') throw result.error;
  const violation = result.violations?.[0];
  if (violation !== undefined) return violated(schema, request, violation);
  return textFault(reflect(schema, request));
}

function textFault(message: ReflectMessage, within: readonly Step[] = []): CallError | undefined {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const fault = valueFault(message.get(field), [...within, field.name]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function valueFault(value: unknown, path: readonly Step[]): CallError | undefined {
  if (typeof value === 'string') return faultOfText(value, fieldName(path));
  if (isReflectMessage(value)) return textFault(value, path);
  if (!isReflectList(value)) return undefined;
  for (const [index, item] of [...value].entries()) {
    const fault = valueFault(item, [...path, index]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A field's name, or an index into a list. */
type Step = string | number;

/** The name of a field of the request itself; for what lies deeper a JSON Pointer. */
function fieldName(path: readonly Step[]): string {
  return path.length === 1 ? String(path[0]) : `/${path.join('/')}`;
}

function faultOfText(text: string, field: string): CallError | undefined {
  const nul = text.indexOf('\0');
  if (nul !== -1)
    return invalidRequest({
      message: `${field} holds a NUL character (at position ${nul}), which cannot be kept.`,
      field,
    });
  if (text.isWellFormed()) return undefined;
  return invalidRequest({ message: `${field} holds half of a surrogate pair, which is no character.`, field });
}

function violated(schema: DescMessage, request: Message, violation: Violation): CallError {
  const member = violation.field.at(-1);
  if (member?.kind === 'oneof') {
    const names = member.fields.map(({ name }) => name);
    return invalidRequest({
      message: `Exactly one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be given.`,
    });
  }
  const path = violation.field.flatMap((step): { readonly name: Step; readonly json: Step }[] => {
    if (step.kind === 'field') return [{ name: step.name, json: step.jsonName }];
    return step.kind === 'list_sub' ? [{ name: step.index, json: step.index }] : [];
  });
  const field = violation.field.findLast((step) => step.kind === 'field');
  if (field === undefined) return invalidRequest({ message: `The request ${violation.message}.` });
  const received = receivedOf(schema, request, path);
  const name = fieldName(path.map((step) => step.name));
  return invalidRequest({
    message: `${name} ${violation.message}${said(received)}.`,
    field: name,
    receivedJson: received === undefined ? undefined : JSON.stringify(received),
    limitJson: limitOf(field, violation, received),
  });
}

function said(received: JsonValue | undefined): string {
  if (received === undefined) return '';
  if (typeof received === 'string' && received.length > 80) return `; it has ${[...received].length} characters`;
  if (Array.isArray(received)) return `; it has ${received.length}`;
  return `; it is ${JSON.stringify(received)}`;
}

/** The value as the contract's JSON writes it; undefined for one that cannot be written, which is a fault of its own. */
function receivedOf(
  schema: DescMessage,
  request: Message,
  path: readonly { readonly json: Step }[],
): JsonValue | undefined {
  let json: JsonValue | undefined;
  try {
    json = toJson(schema, request, { alwaysEmitImplicit: true });
  } catch {
    return undefined;
  }
  for (const step of path) {
    if (typeof step.json === 'string') json = memberOf(json, step.json);
    else json = Array.isArray(json) ? json[step.json] : undefined;
  }
  return json;
}

/** The boundary that a value crossed; of two, the one it is beyond. */
function limitOf(field: DescField, violation: Violation, received: JsonValue | undefined): string | undefined {
  const rule = violation.rule.at(-1);
  const type = violation.rule.at(0);
  if (rule?.kind !== 'field' || type?.kind !== 'field' || rule === type || !hasOption(field, rulesOf)) return undefined;
  const rules = memberOf(toJson(FieldRulesSchema, getOption(field, rulesOf)), type.jsonName);
  const upper = memberOf(rules, 'lte') ?? memberOf(rules, 'lt');
  const limit = typeof received === 'number' && Number(upper) < received ? upper : memberOf(rules, rule.jsonName);
  if (limit === undefined || typeof limit === 'boolean') return undefined;
  return typeof limit === 'string' && /^\d+$/.test(limit) ? limit : JSON.stringify(limit);
}

function memberOf(json: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json[name] : undefined;
}
