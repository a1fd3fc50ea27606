import type { DescMessage } from '@bufbuild/protobuf';
import { isFieldError } from '@bufbuild/protobuf/reflect';
import { Code, type ConnectError } from '@connectrpc/connect';
import type { CallError } from '../../domain/error.ts';
import { Failure } from '../failure.ts';
import { clip, fitDetail } from '../fit-detail.ts';
import { invalidRequest, tooLarge, unreadable } from '../invalid-request.ts';
import type { DoorLimits } from '../limits.ts';
import { placeOf } from './field-place.ts';

/** What the library found wrong with a request before it reached the handler, said so that it can be put right. */
export function explain(reason: ConnectError, input: DescMessage, limits: DoorLimits): CallError | Failure {
  switch (reason.code) {
    case Code.ResourceExhausted:
      return tooLarge(limits.requestBytes);
    case Code.Unimplemented: {
      // A compression that is not known: the protocol asks for this code.
      const detail = fitDetail(invalidRequest({ message: sentence(reason.rawMessage) }).detail);
      return new Failure(Code.Unimplemented, detail.message, detail);
    }
    case Code.Internal:
      return unreadable(input, 'the bytes do not parse');
    default:
      return explainJson(reason, input);
  }
}

function explainJson(reason: ConnectError, input: DescMessage): CallError {
  const decoding = reason.cause;
  const cause = decoding instanceof Error ? decoding.cause : undefined;
  if (decoding instanceof TypeError) return invalidRequest({ message: 'The body is not UTF-8.' });
  if (cause instanceof SyntaxError)
    return invalidRequest({ message: sentence(`The body is not JSON: ${cause.message}`) });
  if (isFieldError(cause)) {
    const named = cause.field();
    const field = named.kind === 'field' ? (placeOf(input, (each) => each === named) ?? named.name) : undefined;
    return invalidRequest({ message: sentence(`${field ?? input.name}: ${cause.message}`), field });
  }
  const [, within, unknown] =
    /^cannot decode message ([\w.]+) from JSON: key "(.*)" is unknown$/s.exec(reason.rawMessage) ?? [];
  if (unknown !== undefined) return unknownField(unknown, messageWithin(input, within ?? '') ?? input);
  const [, words, word] = /^cannot decode enum ([\w.]+) from JSON: (.*)$/s.exec(reason.rawMessage) ?? [];
  if (words !== undefined) return unknownWord(words, word ?? '', input);
  const [, type, value] = /^cannot decode message ([\w.]+) from JSON: (.*)$/s.exec(reason.rawMessage) ?? [];
  if (type !== undefined && type !== input.typeName) return wrongValue(type, value ?? '', input);
  return invalidRequest({ message: sentence(`The request is no ${input.name}: ${withoutPrefix(reason.rawMessage)}`) });
}

/** The message of that type among a request and what it holds. */
function messageWithin(input: DescMessage, typeName: string): DescMessage | undefined {
  if (input.typeName === typeName) return input;
  return input.fields.map((field) => field.message).find((message) => message?.typeName === typeName);
}

function unknownField(name: string, input: DescMessage): CallError {
  const names = input.fields.map((each) => each.name);
  return invalidRequest({
    message: `${input.name} has no field ${JSON.stringify(clip(name))}; it has ${names.join(', ')}.`,
    field: name,
    acceptedJson: names.map((each) => JSON.stringify(each)),
  });
}

/** The library does not say which field it was; where only one has these words it can be told. */
function unknownWord(typeName: string, received: string, input: DescMessage): CallError {
  let words: readonly string[] = [];
  const field = placeOf(input, ({ enum: each }) => {
    if (each?.typeName !== typeName) return false;
    // Nothing is asked for by the word that stands for nothing.
    words = each.values.filter(({ number }) => number !== 0).map(({ name }) => name);
    return true;
  });
  return invalidRequest({
    message: `${field ?? 'A field'} takes one of ${words.join(', ')}; it is ${clip(received)}.`,
    field,
    receivedJson: isJson(received) ? received : undefined,
    acceptedJson: words.map((each) => JSON.stringify(each)),
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const forms: Readonly<Record<string, string>> = {
  'google.protobuf.Duration': 'A duration is written in seconds, like "900s".',
  'google.protobuf.Timestamp': 'A time is written like "2026-08-20T18:41:07Z".',
};

/** The library does not say which field it was; where only one has the type it can be told. */
function wrongValue(type: string, value: string, input: DescMessage): CallError {
  const field = placeOf(input, (each) => each.message?.typeName === type);
  const form = forms[type] ?? `It is a ${type}.`;
  return invalidRequest({ message: `${field ?? 'A field'} cannot be read: ${clip(value)}. ${form}`, field });
}

function withoutPrefix(message: string): string {
  return message.replace(/^cannot decode \w+ [\w.]+ from JSON: /, '');
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
