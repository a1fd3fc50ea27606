/** The parts of an action that are only told and never looked for, as JSON text; null is what most actions have of them. */
import type { Action, Verification } from '../../domain/action.ts';

type Declared = Pick<Action, 'value' | 'fourEyes' | 'precondition' | 'amendedBy'>;

/** What is fixed when an action is staged; its place is null when that is the time when it was staged. */
export function declaredText(action: Declared & { readonly placedAt: Date | null }): string | null {
  const { value, fourEyes, precondition, amendedBy, placedAt } = action;
  const nothing = value === null && !fourEyes && precondition === null && amendedBy === null && placedAt === null;
  return nothing ? null : JSON.stringify({ value, fourEyes, precondition, amendedBy, placedAt });
}

export function declaredOf(text: string | null, createdAt: Date): Declared & Pick<Action, 'placedAt'> {
  if (text === null) return { value: null, fourEyes: false, precondition: null, amendedBy: null, placedAt: createdAt };
  const { placedAt, ...declared } = JSON.parse(text);
  return { ...declared, placedAt: placedAt === null ? createdAt : new Date(placedAt) };
}

type Decided = Pick<Action, 'verification' | 'resolution' | 'rejection' | 'note'>;

/** What was decided and found out since. */
export function decidedText({ verification, resolution, rejection, note }: Decided): string | null {
  const nothing = verification === null && resolution === null && rejection === null && note === '';
  return nothing ? null : JSON.stringify({ verification, resolution, rejection, note });
}

export function decidedOf(text: string | null): Decided {
  if (text === null) return { verification: null, resolution: null, rejection: null, note: '' };
  const { verification, ...decided } = JSON.parse(text);
  return { ...decided, verification: verification === null ? null : verificationOf(verification) };
}

function verificationOf({ state, reason, at }: Verification & { readonly at: string | null }): Verification {
  return { state, reason, at: at === null ? null : new Date(at) };
}
