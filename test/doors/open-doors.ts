import { Writable } from 'node:stream';
import { afterAll, beforeEach } from 'vitest';
import { createDoors, type Doors, type DoorsOptions } from '../../server/doors/create-doors.ts';
import type { Readiness, Standing } from '../../server/lifecycle/ports/readiness.ts';
import { createTelemetry } from '../../server/telemetry/create-telemetry.ts';
import { noAudit } from './no-audit.ts';
import { noCredentials } from './no-credentials.ts';
import { noStopVerbs } from './no-stops.ts';
import { noWebhooks } from './no-webhooks.ts';
import { type Script, scriptedLifecycle, threeKeys } from './scripted-lifecycle.ts';

/** Both doors over a scripted lifecycle, and what they log. */
export interface OpenDoors extends Doors {
  readonly script: Script;
  /** Every line that was logged, from level debug up. */
  readonly log: string[];
  /** From now on this is how the server stands; at first it is ready. */
  stand(standing: Standing): void;
}

export async function openDoors(options: Partial<DoorsOptions> = {}): Promise<OpenDoors> {
  const script = scriptedLifecycle();
  const log: string[] = [];
  const sink = new Writable({
    write(chunk, _, done) {
      log.push(String(chunk));
      done();
    },
  });
  const telemetry = createTelemetry({ level: 'debug', destination: sink });
  const readiness = ownReadiness();
  const doors = await createDoors({
    lifecycle: script,
    credentials: noCredentials,
    stops: noStopVerbs,
    audit: noAudit,
    webhooks: noWebhooks,
    authenticator: threeKeys,
    readiness,
    telemetry,
    metrics: { text: telemetry.metricsText, token: null },
    logger: telemetry.log,
    host: '127.0.0.1',
    grpcPort: 0,
    httpPort: 0,
    ...options,
  });
  return { ...doors, script, log, stand: readiness.stand };
}

/** Doors for the tests of one file; what was asked of the lifecycle is forgotten before each. */
export async function doorsOfThisFile(): Promise<OpenDoors> {
  const doors = await openDoors();
  beforeEach(() => {
    doors.script.calls.length = 0;
  });
  afterAll(() => doors.close(1000));
  return doors;
}

function ownReadiness(): Readiness & Pick<OpenDoors, 'stand'> {
  let now: Standing = { status: 'ready', checks: { database: 'ok', catalog: 'ok' } };
  const followers = new Set<(standing: Standing) => void>();
  return {
    standing: () => now,
    follow(changed) {
      followers.add(changed);
      return () => void followers.delete(changed);
    },
    stand(standing) {
      now = standing;
      for (const changed of followers) changed(standing);
    },
  };
}
