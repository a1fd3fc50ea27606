import type { Catalog } from '../../catalog/parse-catalog.ts';
import { didYouMean } from '../../catalog/problem.ts';
import { createDispatcher } from '../../dispatch/dispatcher.ts';
import { canonicaliseArguments } from '../../domain/canonical-json.ts';
import type { Tool } from '../../domain/tool.ts';
import { answerFindings } from './answer.ts';
import type { Warning } from './warning.ts';

/** One call of a read that was asked for. */
export interface Sample {
  readonly tool: Tool;
  /** RFC 8785 text, and what it says. */
  readonly arguments: { readonly text: string; readonly value: unknown };
}

/** Reads `tool` and `tool=<json>`; what cannot be called is told with what could be. */
export function readSamples(
  texts: readonly string[],
  tools: ReadonlyMap<string, Tool>,
):
  | { readonly kind: 'ok'; readonly samples: readonly Sample[] }
  | { readonly kind: 'invalid'; readonly messages: readonly string[] } {
  const messages: string[] = [];
  const samples: Sample[] = [];
  const reads = [...tools.values()].filter(({ isWrite }) => !isWrite).map(({ name }) => name);
  for (const text of texts) {
    const [name = ''] = text.split('=', 1);
    const tool = tools.get(name);
    const say = (message: string): void => void messages.push(`--sample ${name}: ${message}`);
    if (tool === undefined) {
      say(`no tool is called so.${didYouMean(name, reads)} Declared reads: ${reads.join(', ')}.`);
    } else if (tool.isWrite) {
      say(`is a write; only reads are ever called by this. Declared reads: ${reads.join(', ')}.`);
    } else {
      const canonical = canonicaliseArguments(text.slice(name.length + 1));
      const fault = canonical.kind === 'invalid' ? canonical.fault : tool.validate(canonical.value);
      if (fault !== undefined) say(fault.message);
      else if (canonical.kind === 'ok') samples.push({ tool, arguments: canonical });
    }
  }
  return messages.length > 0 ? { kind: 'invalid', messages } : { kind: 'ok', samples };
}

/** Calls the samples at their endpoints, one after the other, with the retries and limits of the server. */
export async function sampleWarnings(
  samples: readonly Sample[],
  { endpoints }: Catalog,
  tenant: { readonly id: string; readonly scope: string; readonly userId: string },
): Promise<Warning[]> {
  if (samples.length === 0) return [];
  const dispatcher = createDispatcher({ endpoints: (name) => endpoints.get(name) });
  const warnings: Warning[] = [];
  try {
    for (const { tool, arguments: args } of samples) {
      const seen = (rule: Warning['rule'], path: string, message: string): void => {
        warnings.push({ rule, tool: tool.name, path, place: null, message });
      };
      const read = await dispatcher.read({ endpoint: tool.endpoint, tool: tool.name, arguments: args.text, tenant });
      if (read.kind === 'failed') {
        seen('sample-failed', '', `${read.error.message} (${read.error.code}, after ${read.attempts} attempts)`);
        continue;
      }
      const { maxResponseBytes = 0 } = endpoints.get(tool.endpoint) ?? {};
      for (const { rule, path, message } of answerFindings({
        text: read.result,
        tool,
        args: args.value,
        maxResponseBytes,
      })) {
        seen(rule, path, message);
      }
    }
  } finally {
    await dispatcher.close();
  }
  return warnings;
}
