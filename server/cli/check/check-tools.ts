import { loadCatalog } from '../../catalog/load-catalog.ts';
import { notDone, sayFault } from '../fault.ts';
import { type Output, usageFault } from '../output.ts';
import { declarationWarnings } from './declarations.ts';
import { jsonReport, type Report, textReport } from './report.ts';
import { readSamples, sampleWarnings } from './samples.ts';

export interface CheckOptions {
  readonly catalog: string;
  /** `tool` or `tool=<json arguments>`. */
  readonly sample: readonly string[];
  readonly tenant: string;
  readonly scope: string;
  readonly user: string;
  readonly strict: boolean;
  readonly json: boolean;
}

/** `tether tools check`; resolves with the exit code: 0 fine, 1 warnings (if strict), 2 unusable or called in a wrong way. */
export async function checkTools(options: CheckOptions, env: NodeJS.ProcessEnv, output: Output): Promise<number> {
  const { catalog: path, sample, strict, json } = options;
  const print = (report: Report): void => output.out(json ? jsonReport(report) : textReport(report));
  const loaded = await loadCatalog(path, env);
  if (loaded.kind === 'invalid') {
    print({ catalog: path, problems: loaded.problems, warnings: [], tools: [] });
    return usageFault;
  }
  const { catalog } = loaded;
  const samples = readSamples(sample, catalog.tools);
  if (samples.kind === 'invalid') {
    const text = samples.messages.join('\n');
    sayFault(notDone('INVALID_USAGE', samples.messages.join(' ')), json ? 'json' : 'text', output, text);
    return usageFault;
  }
  const warnings = [
    ...declarationWarnings(loaded),
    ...(await sampleWarnings(samples.samples, catalog, {
      id: options.tenant,
      scope: options.scope,
      userId: options.user,
    })),
  ];
  print({ catalog: path, problems: [], warnings, tools: [...catalog.tools.values()] });
  return strict && warnings.length > 0 ? 1 : 0;
}
