import type { ActionableError, Alternative } from '../domain/error.ts';

/**
 * A read's refusal as the JSON that a plain endpoint would have answered with (DESIGN §3.1), for the protocols in which it
 * is a message of its own: what the model reads is then the same over all transports.
 */
export function refusalJson(error: ActionableError): string {
  return object([
    ['error', JSON.stringify(error.code)],
    ['message', JSON.stringify(error.message)],
    ['field', error.field && JSON.stringify(error.field)],
    ['received', error.receivedJson],
    ['limit', error.limitJson],
    ['accepted', error.acceptedJson && `[${error.acceptedJson.join(',')}]`],
    ['retryable', JSON.stringify(error.retryable)],
    ['retry_after_seconds', error.retryAfterSeconds?.toString()],
    ['alternatives', error.alternatives && `[${error.alternatives.map(alternativeJson).join(',')}]`],
  ]);
}

function alternativeJson({ action, tool, argumentsJson, description, extraJson }: Alternative): string {
  const own = object([
    ['action', JSON.stringify(action)],
    ['tool', tool && JSON.stringify(tool)],
    ['arguments', argumentsJson],
    ['description', description && JSON.stringify(description)],
  ]);
  const extra = extraJson?.trim().replace(/^\{\s*|\s*\}$/g, '');
  return extra ? `${own.slice(0, -1)},${extra}}` : own;
}

function object(members: [string, string | undefined][]): string {
  const written = members.filter(([, json]) => json !== undefined && json !== '');
  return `{${written.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
