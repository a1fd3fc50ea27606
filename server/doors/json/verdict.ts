import type { Message } from '@bufbuild/protobuf';
import { isMessage } from '@bufbuild/protobuf';
import { ActionSchema } from '@tether/proto/tether/v1/action_pb.ts';
import type { ConfirmResponse, ConfirmStatus } from '@tether/proto/tether/v1/action_service_pb.ts';
import {
  ConfirmPlanResponseSchema,
  ConfirmResponseSchema,
  ConfirmStatusSchema,
} from '@tether/proto/tether/v1/action_service_pb.ts';
import { EffectSchema } from '@tether/proto/tether/v1/effect_pb.ts';
import { wordsOf } from './field-form.ts';
import type { Member } from './json-text.ts';
import { objectText, stringText } from './json-text.ts';
import { errorMembers, refusalMembers } from './problem.ts';
import { writeMessage, writeWord } from './write-message.ts';

/** What a confirm can come to: `Executed`, `FailedRetryable` … */
export const confirmStatuses: readonly string[] = wordsOf(ConfirmStatusSchema).map(({ word }) => camelled(word));

function statusOf(status: ConfirmStatus): string {
  const word = wordsOf(ConfirmStatusSchema).find(({ number }) => number === status)?.word;
  if (word === undefined) throw new Error(`a confirm was answered by status ${status}`);
  return camelled(word);
}

function camelled(word: string): string {
  return word.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** What came of a confirm: what it came to, why, and what to do next, side by side; the whole action beside them. */
export function verdictText(answer: Message): string {
  if (!isMessage(answer, ConfirmResponseSchema)) throw new Error(`${answer.$typeName} is no verdict`);
  return objectText(verdictMembers(answer));
}

function verdictMembers({ status, action, resultJson, error, modelJson, idempotentReplay }: ConfirmResponse) {
  if (action === undefined) throw new Error('a confirm was answered by nothing');
  const success: readonly Member[] = [['effect', writeWord(EffectSchema, action.effect)]];
  return [
    ['status', stringText(statusOf(status))],
    ['actionId', stringText(action.id)],
    ['commandType', stringText(action.tool)],
    ...(error === undefined ? success : errorMembers(error)),
    ['result', resultJson],
    ['idempotentReplay', idempotentReplay ? 'true' : undefined],
    ['modelText', stringText(modelJson)],
    ['action', writeMessage(ActionSchema, action)],
  ] satisfies Member[];
}

/** What came of one entry of a plan. */
export function planVerdictText(answer: Message): string {
  if (!isMessage(answer, ConfirmPlanResponseSchema)) throw new Error(`${answer.$typeName} is no verdict of a plan`);
  const { index, actionId, verdict } = answer;
  const place: Member = ['index', String(index)];
  switch (verdict.case) {
    case 'confirmed':
      return objectText([place, ...verdictMembers(verdict.value)]);
    case 'error':
      return objectText([place, ['actionId', stringText(actionId)], ...refusalMembers(verdict.value)]);
    case 'notRun':
      return objectText([
        place,
        ['status', stringText('NotRun')],
        ['actionId', stringText(actionId)],
        ['errorMessage', stringText(verdict.value.reason)],
      ]);
    case undefined:
      throw new Error('an entry of a plan was answered by nothing');
  }
}
