/** Answers as JSON text. Texts that are JSON already are put in as they are. */
import type { AlternativeRecord, RefusalRecord } from '../refusal-record.ts';

export type Members = readonly (readonly [name: string, json: string | undefined])[];

/** An object with the members that are there. */
export function objectText(members: Members): string {
  const written = members.filter(([, json]) => json !== undefined);
  return `{${written.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

export function refusalText(refusal: RefusalRecord): string {
  const { acceptedJson, alternatives } = refusal;
  return objectText([
    ['error', JSON.stringify(refusal.code)],
    ['message', JSON.stringify(refusal.message)],
    ['field', JSON.stringify(refusal.field)],
    ['received', refusal.receivedJson],
    ['limit', refusal.limitJson],
    ['accepted', acceptedJson && `[${acceptedJson.join(',')}]`],
    ['effect', JSON.stringify(refusal.effect)],
    ['retryable', JSON.stringify(refusal.retryable)],
    ['retry_after_seconds', JSON.stringify(refusal.retryAfterSeconds)],
    ['alternatives', alternatives && `[${alternatives.map(alternativeText).join(',')}]`],
  ]);
}

function alternativeText({ action, tool, argumentsJson, description, extraJson }: AlternativeRecord): string {
  const own = objectText([
    ['action', JSON.stringify(action)],
    ['tool', JSON.stringify(tool)],
    ['arguments', argumentsJson],
    ['description', JSON.stringify(description)],
  ]);
  return extraJson === undefined ? own : `${own.slice(0, -1)},${extraJson.slice(1)}`;
}
