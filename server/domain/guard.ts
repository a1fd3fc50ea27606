import type { Action, Actor, DeclaredValue } from './action.ts';
import { risks } from './action.ts';
import { valueAt } from './json-pointer.ts';
import type { Tool } from './tool.ts';

/** What a confirm must acknowledge: the stricter of what was declared when it was staged and what is declared now. */
export type Danger = Pick<Action, 'risk' | 'value'>;

/** Why a confirm must carry `acknowledge_high_risk`; empty when it need not (DESIGN §2.2 step 5). */
export function acknowledgementReasons({ risk, value }: Danger): readonly string[] {
  const reasons = risk === 'normal' ? [] : [`The tool is declared ${risk} risk.`];
  const worth = value === null ? undefined : reasonOf(value);
  return worth === undefined ? reasons : [...reasons, worth];
}

function reasonOf({ amountJson, threshold, unit }: DeclaredValue): string | undefined {
  const limit = `${threshold}${unit && ` ${unit}`}`;
  if (amountJson === null) return `Its value could not be read, so it counts as ${limit} or more.`;
  return Number(amountJson) >= threshold
    ? `Its value, ${amountJson}${unit && ` ${unit}`}, is at or above ${limit}.`
    : undefined;
}

/** The value that the tool declares, read from the arguments; null when it declares none. Only a JSON number can be read. */
export function declaredValue(tool: Pick<Tool, 'value'>, args: unknown): DeclaredValue | null {
  if (tool.value === null) return null;
  const { pointer, threshold, unit } = tool.value;
  const amount = valueAt(args, pointer);
  return { amountJson: typeof amount === 'number' ? JSON.stringify(amount) : null, threshold, unit };
}

/** The dangers of an action as it was staged and as its tool is declared now; each must be acknowledged. */
export function dangersOf(action: Action, tool: Tool): readonly string[] {
  const risk = risks.indexOf(action.risk) >= risks.indexOf(tool.risk) ? action.risk : tool.risk;
  const valueNow = tool.value === null ? null : declaredValue(tool, JSON.parse(action.arguments));
  const then = acknowledgementReasons({ risk, value: action.value });
  const now = acknowledgementReasons({ risk, value: valueNow });
  return [...new Set([...then, ...now])];
}

/** Whether what a person was shown is what would run; an empty digest was not sent and is not checked. */
export function digestMatches(action: Action, previewDigest: string): boolean {
  return previewDigest === '' || previewDigest === action.previewDigest;
}

/** Whether this approver counts as a second person: not on whose behalf, not whose credential or user proposed it, not who amended it. */
export function isSecondPerson(action: Action, approver: Actor): boolean {
  const involved = [action.proposedBy, ...(action.amendedBy === null ? [] : [action.amendedBy])];
  if (action.userId !== '' && action.userId === approver.userId) return false;
  return involved.every((each) => each.credentialId !== approver.credentialId && each.userId !== approver.userId);
}
