import type { Alternative } from '../../domain/error.ts';

/** How to find out what became of an action: the move beside an error that cannot say. */
export function getAction(actionId: string): Alternative {
  return {
    action: 'get',
    argumentsJson: JSON.stringify({ action_id: actionId }),
    description: 'Read what is known of the action before anything is repeated.',
  };
}

/** The same for what a caller named by a request id of its own. */
export function getByRequestId(requestId: string): Alternative {
  return { action: 'get', argumentsJson: JSON.stringify({ request_id: requestId }) };
}

/** The same for a change of credentials. */
export const listCredentials: Alternative = {
  action: 'list',
  description:
    'List the credentials before anything is repeated. A key whose answer was lost cannot be told again: rotate.',
};

/** The same for a stop. */
export const listStops: Alternative = {
  action: 'list_stops',
  description: 'List what is stopped before anything is repeated; a repeat is harmless.',
};

/** The same for a message to a webhook. */
export const listDeliveries: Alternative = {
  action: 'list_deliveries',
  description: 'List the messages before anything is repeated.',
};
