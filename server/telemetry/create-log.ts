import { type DestinationStream, type Logger, pino } from 'pino';
import { createLogOutput } from './log-output.ts';
import { safeError } from './safe-error.ts';
import type { Scopes } from './scopes.ts';

/**
 * Names under which something secret, or of the data, could be handed to the log by mistake. Nothing of ours does; should a
 * dependency or a later change do it, it is cut here, at the top and one level down.
 */
const never = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'secrets',
  'token',
  'key',
  'apiKey',
  'idempotency_key',
  'idempotencyKey',
  'arguments',
  'argumentsJson',
  'arguments_json',
  'args',
  'result',
  'resultJson',
  'result_json',
  'body',
  'payload',
  'headers',
  'query',
  'parameters',
  'detail',
].flatMap((name) => [name, `*.${name}`]);

/**
 * The log: JSON lines, each with the request or the job that it belongs to. An error is told by what is known to be harmless of it.
 */
export function createLog(level: string, scopes: Scopes, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => ({ ...scopes.current()?.fields }),
      serializers: { err: safeError },
      redact: { paths: never, censor: '[redacted]' },
    },
    destination ?? createLogOutput(),
  );
}
