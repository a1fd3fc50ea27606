import { execute, type Verdict } from './check/step.ts';

/** Generates Go from proto/ into `directory`/clients/go/gen, by clients/go/buf.gen.yaml. */
export function goInto(directory: string): Promise<Verdict> {
  return execute('buf', ['generate', '--template', 'clients/go/buf.gen.yaml', '--output', directory]);
}

export async function goIsHere(): Promise<boolean> {
  return execute('go', ['version']).then(
    ({ ok }) => ok,
    () => false,
  );
}
