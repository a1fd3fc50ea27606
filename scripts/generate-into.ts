import { execute, type Verdict } from './check/step.ts';

/** The folders of gen/ that are generated, and nothing else is in them. */
export const generatedFolders = ['gen/tether', 'gen/clients'] as const;

/** Generates TypeScript from proto/ into `directory`/gen: the contract by buf.gen.yaml, what clients need of it by buf.gen.clients.yaml. */
export async function generateInto(directory: string): Promise<Verdict> {
  const contract = await execute('buf', ['generate', '--output', directory]);
  if (!contract.ok) return contract;
  return execute('buf', ['generate', '--template', 'buf.gen.clients.yaml', '--output', directory]);
}
