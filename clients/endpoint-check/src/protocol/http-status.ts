import type { Said } from '../contract/answer.ts';
import { parsed, refusalIn } from './json-answer.ts';

/** What a status other than 2xx means, by the table in docs/endpoint.md. */
export function statusSaid(status: number, text: string): Said {
  if ([400, 409, 410, 412, 422].includes(status)) {
    const refusal = refusalIn(parsed(text)?.value);
    if (refusal !== undefined) return { kind: 'refused', refusal };
  }
  if ([408, 502, 504].includes(status) || status < 400) {
    return { kind: 'unreadable', why: `${status} leaves open what was done` };
  }
  if (status >= 500) return { kind: 'failed' };
  return { kind: 'turned-away', again: status === 425 || status === 429, unauthenticated: status === 401 };
}
