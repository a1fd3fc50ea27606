import { execute, type Verdict } from './check/step.ts';

/** Generates TypeScript from proto/ into `directory`/gen, by buf.gen.yaml. */
export function generateInto(directory: string): Promise<Verdict> {
  return execute('buf', ['generate', '--output', directory]);
}
