import type { Message } from '@bufbuild/protobuf';
import { parseActionId } from '../domain/action.ts';

/** The action that a request names, or that an answer holds; undefined for none, and for what is no id. */
export function actionIdIn(message: Message): string | undefined {
  if ('actionId' in message && typeof message.actionId === 'string') return parseActionId(message.actionId);
  if (!('action' in message) || typeof message.action !== 'object' || message.action === null) return undefined;
  const { action } = message;
  return 'id' in action && typeof action.id === 'string' ? parseActionId(action.id) : undefined;
}
