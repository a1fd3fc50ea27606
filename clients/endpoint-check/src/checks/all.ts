import type { Check } from '../check.ts';
import { answersARead } from './answers-a-read.ts';
import { answersAWrite } from './answers-a-write.ts';
import { bearerRequired } from './bearer-required.ts';
import { cutConnection } from './cut-connection.ts';
import { lateCall } from './late-call.ts';
import { noInternals } from './no-internals.ts';
import { probeBesideWrite } from './probe-beside-write.ts';
import { probeFences } from './probe-fences.ts';
import { probeTruthful } from './probe-truthful.ts';
import { refusalShape } from './refusal-shape.ts';
import { resultCap } from './result-cap.ts';
import { sameKeyAtOnce } from './same-key-at-once.ts';
import { sameKeyOtherArguments } from './same-key-other-arguments.ts';
import { sameKeyTwice } from './same-key-twice.ts';
import { signatureRequired } from './signature-required.ts';
import { tenantsAreApart } from './tenants-are-apart.ts';
import { toleratesNewFields } from './tolerates-new-fields.ts';

/** In the order in which they run: what others need comes first. */
export const checks: readonly Check[] = [
  answersAWrite,
  answersARead,
  toleratesNewFields,
  resultCap,
  sameKeyTwice,
  sameKeyAtOnce,
  sameKeyOtherArguments,
  lateCall,
  refusalShape,
  noInternals,
  signatureRequired,
  bearerRequired,
  probeTruthful,
  probeFences,
  probeBesideWrite,
  cutConnection,
  tenantsAreApart,
];
