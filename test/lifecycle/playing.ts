/** A walk under way: what stands for the parts of the model's state on the real thing. */
import type { ActionId } from '../../server/domain/action.ts';
import type { Setting as ModelSetting } from '../model/layout.ts';
import type { EndpointAnswer } from '../support/endpoint.ts';
import type { Message } from './message.ts';
import type { Replica } from './replica.ts';
import { type Setting, stageInput } from './setting.ts';
import type { Worker } from './worker.ts';

/** A question to the endpoint that is not answered yet. */
export interface Question {
  readonly id: ActionId;
  answer(answer: EndpointAnswer): void;
  /** Whether it settled the doubt; undefined when the job asked, which does not say. */
  readonly settled: Promise<boolean | undefined>;
}

export interface Playing {
  readonly setting: Setting;
  readonly model: ModelSetting;
  /** By the model's number of the action. */
  readonly ids: ActionId[];
  /** What each was proposed with: JSON text. */
  readonly proposed: string[];
  readonly tool: string;
  /** By action and attempt, both from 0. */
  readonly workers: Map<string, Worker>;
  /** Confirms that have read the action and not claimed yet, by the slot that they have in the model. */
  readonly messages: Map<string, Message[]>;
  /** Processes of this walk. */
  replica(): Replica;
  /** A process that does no attempts. */
  readonly reader: Replica;
  /** What the precondition's read answers. */
  world: string;
  question: Question | undefined;
  /** How often somebody has looked; each time it is another person. */
  looks: number;
}

export function idOf({ ids }: Playing, a: number): ActionId {
  const id = ids[a];
  if (id === undefined) throw new Error(`action ${a + 1} is not staged`);
  return id;
}

/** Proposes that again, as it was proposed. */
export function proposalOf({ proposed, tool }: Playing, a: number) {
  return { ...stageInput('', { tool }), argumentsJson: proposed[a] ?? '{}' };
}
