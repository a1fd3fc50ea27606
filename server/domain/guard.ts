import type { Action, Risk } from './action.ts';
import { risks } from './action.ts';

/** Why a confirm must carry `acknowledge_high_risk`; empty when it need not (DESIGN §2.2 step 5). */
export function acknowledgementReasons(risk: Risk): readonly string[] {
  return risk === 'normal' ? [] : [`The tool is declared ${risk} risk.`];
}

/** The stricter of the risk when it was staged and the risk now. */
export function strictestRisk(staged: Risk, now: Risk): Risk {
  return risks.indexOf(staged) >= risks.indexOf(now) ? staged : now;
}

/** Whether what a person was shown is what would run; an empty digest was not sent and is not checked. */
export function digestMatches(action: Action, previewDigest: string): boolean {
  return previewDigest === '' || previewDigest === action.previewDigest;
}
