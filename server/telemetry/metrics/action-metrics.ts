import type { Meter } from '@opentelemetry/api';
import type { RepeatTelemetry } from '../../lifecycle/ports/telemetry.ts';
import type { Moved } from '../watch-actions.ts';

export interface ActionMetrics extends RepeatTelemetry {
  moved(what: Moved): void;
}

/** What becomes of actions. Tools are declared, so there are few; tenants are no labels. */
export function actionMetrics(meter: Meter): ActionMetrics {
  const transitions = meter.createCounter('tether_transitions_total', {
    description: 'Transitions of actions that this server wrote.',
  });
  const repeats = meter.createCounter('tether_repeats_total', {
    description: 'What was asked for again: the same confirm, the same request id, or the same intent.',
  });
  return {
    moved: ({ action, event, from }) =>
      transitions.add(1, { event, from: from ?? 'NEW', to: action.state, effect: action.effect, tool: action.tool }),
    repeated: (what) => repeats.add(1, { what }),
  };
}
