import type { ErrorObject } from 'ajv';
import { echoOf, fieldOf } from '../domain/argument-field.ts';
import type { ArgumentFault } from '../domain/tool.ts';
import { didYouMean, nearest } from './problem.ts';
import { isRecord, stepsOf } from './structure.ts';

/** Names and values that an error lists at most. */
const maxListed = 50;

/**
 * What a schema has against some arguments, said so that the next call can be computed from it (DESIGN §3.1): the field,
 * the value, the boundary it crossed, what would be accepted.
 */
export function argumentFault(errors: readonly ErrorObject[]): ArgumentFault {
  const [first, ...others] = mostTelling(errors);
  if (first === undefined) throw new TypeError('a validator failed without an error');
  const fault = faultOf(first);
  if (others.length === 0) return fault;
  if ([first, ...others].every(({ keyword }) => keyword === 'const' || keyword === 'enum')) {
    const allowed = [first, ...others].flatMap(
      ({ params }): unknown[] => params.allowedValues ?? [params.allowedValue],
    );
    return acceptedOnly(`"${fault.field}"`, { field: fault.field, receivedJson: fault.receivedJson }, allowed);
  }
  const messages = [fault, ...others.slice(0, 4).map(faultOf)].map(({ message }) => message);
  return { ...fault, message: [...new Set(messages)].join(' Or: ') };
}

/** Of a choice between schemas, what the branches that came furthest have against it; else the one error there is. */
function mostTelling(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const reasons = errors.filter(({ keyword }) => !wrappers.has(keyword));
  const candidates = reasons.length > 0 ? reasons : errors;
  const depthOf = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  const deepest = candidates.reduce((depth, error) => Math.max(depth, depthOf(error)), 0);
  return candidates.filter((error) => depthOf(error) === deepest);
}

/** Keywords whose errors only say that what they hold failed. */
const wrappers = new Set(['anyOf', 'oneOf', 'if', 'propertyNames', 'contains']);

function faultOf(error: ErrorObject): ArgumentFault {
  const named = error.propertyName;
  const path = named === undefined ? stepsOf(error.instancePath) : [...stepsOf(error.instancePath), named];
  const field = path.length === 0 ? undefined : fieldOf(path);
  const name =
    named === undefined ? (field === undefined ? 'The arguments object' : `"${field}"`) : `The name "${field}"`;
  const received = { field, receivedJson: echoOf(JSON.stringify(error.data)) };
  const { params } = error;
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return missing(error, path);
    case 'additionalProperties':
      return unknownArgument(error, path, String(params.additionalProperty));
    case 'unevaluatedProperties':
      return unknownArgument(error, path, String(params.unevaluatedProperty));
    case 'type':
      return { ...received, message: `${name} must be ${typeNames(params.type)}, and is ${typeOf(error.data)}.` };
    case 'enum':
      return acceptedOnly(name, received, params.allowedValues);
    case 'const':
      return acceptedOnly(name, received, [params.allowedValue]);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf': {
      const limit: unknown = params.limit ?? params.multipleOf;
      const message = `${name} must be ${bounds[error.keyword]} ${limit}, and is ${received.receivedJson ?? 'not'}.`;
      return { ...received, message, limitJson: JSON.stringify(limit) };
    }
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
      return { ...received, ...sizeFault(name, error) };
    case 'pattern':
      return {
        ...received,
        message: `${name} must match the regular expression ${params.pattern}.`,
        limitJson: JSON.stringify(params.pattern),
      };
    case 'format':
      return { ...received, message: `${name} must be of the format ${params.format}.` };
    default:
      return { ...received, message: `${name} ${error.message ?? 'does not fit'}.` };
  }
}

const bounds: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
};

function acceptedOnly(name: string, received: Omit<ArgumentFault, 'message'>, allowed: unknown): ArgumentFault {
  const values: unknown[] = Array.isArray(allowed) ? allowed : [];
  const texts = values.map((value) => JSON.stringify(value)).slice(0, maxListed);
  const accepted = texts.length === 1 ? `must be ${texts.join()}` : `must be one of ${texts.join(', ')}`;
  return {
    ...received,
    message: `${name} ${accepted}${received.receivedJson === undefined ? '' : `, and is ${received.receivedJson}`}.`,
    acceptedJson: texts,
  };
}

function missing({ params, data, parentSchema }: ErrorObject, path: readonly string[]): ArgumentFault {
  const name = String(params.missingProperty);
  const field = fieldOf([...path, name]);
  const known = propertiesOf(parentSchema);
  const strangers = isRecord(data) ? Object.keys(data).filter((key) => !known.includes(key)) : [];
  const instead = nearest(name, strangers);
  const because = params.property === undefined ? '' : ` when "${params.property}" is given`;
  const hint = instead === undefined ? '' : ` "${instead}" was given instead.`;
  return { message: `"${field}" is required${because}, and is missing.${hint}`, field };
}

function unknownArgument({ data, parentSchema }: ErrorObject, path: readonly string[], name: string): ArgumentFault {
  const field = fieldOf([...path, name]);
  const known = propertiesOf(parentSchema).slice(0, maxListed);
  const accepted = known.length === 0 ? '' : ` Accepted: ${known.join(', ')}.`;
  return {
    message: `"${field}" is no argument of this tool.${didYouMean(name, known)}${accepted}`,
    field,
    receivedJson: isRecord(data) ? echoOf(JSON.stringify(data[name])) : undefined,
    acceptedJson: known.map((each) => JSON.stringify(each)),
  };
}

function sizeFault(name: string, { keyword, data, params }: ErrorObject): Pick<ArgumentFault, 'message' | 'limitJson'> {
  const unit = keyword.endsWith('Length') ? 'characters' : keyword.endsWith('Items') ? 'items' : 'properties';
  const size = typeof data === 'string' ? [...data].length : Object.keys(isRecord(data) ? data : Object(data)).length;
  const bound = keyword.startsWith('min') ? 'at least' : 'at most';
  return {
    message: `${name} must have ${bound} ${params.limit} ${unit}, and has ${size}.`,
    limitJson: JSON.stringify(params.limit),
  };
}

function propertiesOf(schema: unknown): string[] {
  return isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
}

function typeNames(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names.map(withArticle).join(' or ');
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
