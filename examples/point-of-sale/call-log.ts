import type { Answered } from './answer.ts';
import type { Call, Probe } from './call.ts';

/** One call as it is shown: on stdout when it is answered, and by `GET /log` from its arrival on. */
export interface LogLine {
  readonly at: string;
  readonly tool: string;
  readonly request_id: string;
  readonly attempt: number;
  readonly user_id: string;
  /** A probe has none. */
  readonly args?: unknown;
  /**
   * `done`: this call made the change. `repeated`: an earlier one had, and its result was sent again. `executed`,
   * `not_executed`, `in_progress`, `unknown`: what a probe was told.
   */
  answer: Answered['how'] | 'pending' | 'refused' | 'failed';
  /** The code of a refusal. */
  error?: string;
}

/** Lines that are kept, the newest. */
const kept = 1_000;

/** The calls that this process received, oldest first. */
export function createCallLog() {
  const lines: LogLine[] = [];
  return {
    /** Writes a call down when it arrives; its answer is filled in later. */
    arrived(call: Call | Probe): LogLine {
      const { tool, requestId, attempt, userId } = call;
      const at = new Date().toISOString();
      const args = call.mode === 'probe' ? undefined : call.args;
      const line: LogLine = { at, tool, request_id: requestId, attempt, user_id: userId, args, answer: 'pending' };
      lines.push(line);
      if (lines.length > kept) lines.shift();
      return line;
    },
    /** JSON, a line each. */
    text: (): string => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
}

export type CallLog = ReturnType<typeof createCallLog>;
