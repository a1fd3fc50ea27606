import type { ActionId } from '../../domain/action.ts';
import { parseActionId } from '../../domain/action.ts';
import { invalidRequest } from '../invalid-request.ts';

/** Reads an id in any letter case; throws INVALID_REQUEST for what is no UUID. */
export function actionIdFromWire(text: string): ActionId {
  const id = parseActionId(text);
  if (id !== undefined) return id;
  throw invalidRequest({
    message: 'action_id must be a UUID, as Stage returned it.',
    field: 'action_id',
    receivedJson: JSON.stringify(text),
  });
}
