import type { Call } from './call.ts';

/** One call as it is shown: on stdout when it is answered, and by `GET /log` from its arrival on. */
export interface LogLine {
  readonly at: string;
  readonly tool: string;
  readonly request_id: string;
  readonly attempt: number;
  readonly user_id: string;
  readonly args: unknown;
  /** `done`: this call made the change. `repeated`: an earlier one had, and its result was sent again. */
  answer: 'pending' | 'read' | 'done' | 'repeated' | 'refused' | 'failed';
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
    arrived({ tool, requestId, attempt, userId, args }: Call): LogLine {
      const at = new Date().toISOString();
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
