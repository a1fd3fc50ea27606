import type { CatalogFile, CheckEntry, ToolEntry } from '../../catalog/check-form.ts';
import type { ParsedCatalog } from '../../catalog/parse-catalog.ts';
import { placeIn, typesOf } from '../../catalog/schema-place.ts';
import { isRecord, stepsOf } from '../../catalog/structure.ts';
import type { Rule, Warning } from './warning.ts';
import { effectIn, effectThatBegins, hasCurrency, isMoney, lookUpIn, mentionsUnit, namesUnit } from './words.ts';

type UsableCatalog = Extract<ParsedCatalog, { kind: 'ok' }>;

/** One finding; `path` is below the tool, and `key` says that the key itself is meant. */
interface Finding {
  readonly rule: Rule;
  readonly path: readonly string[];
  readonly message: string;
  readonly at?: 'key' | 'value';
}

/** Seconds that a tool may take before whoever waits for it gives up. */
const patience = 30;

/** What can be said of a catalog from its text alone, in the order of the file. */
export function declarationWarnings({ file, catalog, source }: UsableCatalog): Warning[] {
  const warnings: Warning[] = [];
  const add = (tool: string | null, holder: readonly string[], { rule, path, message, at }: Finding): void => {
    const problem = source.problem([...holder, ...path], message, at);
    warnings.push({ rule, tool, path: problem.path, place: { line: problem.line, column: problem.column }, message });
  };
  for (const { name, timeoutMs, probe } of catalog.endpoints.values()) {
    const answered = Object.values(file.tools).filter(({ endpoint }) => endpoint === name);
    if (answered.some(({ is_write }) => is_write === true) && !probe) {
      const message =
        'It answers writes and no probes: when an answer is lost, a person has to look up what became of the write. Answer probes from the ledger of keys, and say "probe: true".';
      add(null, ['endpoints', name], { rule: 'no-probe', path: [], message, at: 'key' });
    }
    if (timeoutMs > patience * 1000) {
      const message = `A call may take ${timeoutMs / 1000} s, and somebody waits for it: make two tools of slow work, one that starts it and one that tells how far it is.`;
      add(null, ['endpoints', name], { rule: 'long-timeout', path: ['timeout_seconds'], message });
    }
  }
  for (const [name, entry] of Object.entries(file.tools)) {
    for (const finding of findingsOf(name, entry, file)) add(name, ['tools', name], finding);
  }
  return warnings.toSorted((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0));
}

function* findingsOf(name: string, entry: ToolEntry, file: CatalogFile): Generator<Finding> {
  const { description, input } = entry;
  if (description.trim().length < 20 || description.trim().split(/\s+/).length < 3) {
    const message =
      'It says too little for a model to choose by: what it does or returns, for what, and in which units.';
    yield { rule: 'description-short', path: ['description'], message };
  }
  if (input.additionalProperties !== false && input.unevaluatedProperties !== false) {
    const message =
      'It takes arguments of any name: say "additionalProperties: false", so that a misspelt one is refused with the name it missed.';
    yield { rule: 'open-arguments', path: ['input'], message, at: 'key' };
  }
  yield* entry.is_write === true ? writeFindings(name, entry, file) : readFindings(name, entry);
}

function* readFindings(name: string, { description }: ToolEntry): Generator<Finding> {
  const effect = effectIn(name) ?? effectThatBegins(description);
  if (effect === undefined) return;
  const message = `"${effect}" sounds like an effect, and a read runs unasked and up to three times: declare a write, or name it after what it returns.`;
  yield { rule: 'read-like-write', path: [], message, at: 'key' };
}

function* writeFindings(name: string, entry: ToolEntry, file: CatalogFile): Generator<Finding> {
  const lookUp = lookUpIn(name);
  if (lookUp !== undefined) {
    const message = `"${lookUp}" sounds like a look-up, and a write waits for a person: declare a read if it has no effect at all.`;
    yield { rule: 'write-like-read', path: [], message, at: 'key' };
  }
  const missing = (rule: Rule, message: string): Finding => ({ rule, path: [], message, at: 'key' });
  if (entry.summary === undefined) {
    yield missing(
      'no-summary',
      'Whoever confirms it reads only the name of the tool: give it a summary with the arguments that matter.',
    );
  }
  if (entry.risk === undefined)
    yield missing('no-risk', 'Say its risk, also if it is normal: then somebody has thought of it.');
  if (entry.precondition === undefined) {
    yield missing(
      'no-precondition',
      'Nothing is looked up before it is confirmed, so it runs on a world that may have changed: name a read as its precondition.',
    );
  }
  if (entry.verify === undefined) {
    yield missing('no-verify', 'Nothing shows afterwards that it happened: name a read that does.');
  }
  yield* moneyFindings(entry);
  yield* checkFindings('precondition', entry.precondition, entry, file);
  yield* checkFindings('verify', entry.verify, entry, file);
}

function* moneyFindings({ input, value }: ToolEntry): Generator<Finding> {
  const properties = isRecord(input.properties) ? input.properties : {};
  const names = Object.keys(properties);
  const amounts = names.filter((name) => isMoney(name) && isNumber(properties[name]));
  for (const name of amounts) {
    const schema = properties[name];
    const path = ['input', 'properties', name];
    const description = isRecord(schema) && typeof schema.description === 'string' ? schema.description : '';
    if (!namesUnit(name) && !hasCurrency(names) && !mentionsUnit(description)) {
      const message = `In what does "${name}" count? Put the unit into the name, like ${name}_usd, or into its description.`;
      yield { rule: 'money-without-unit', path, message, at: 'key' };
    }
    if (value === undefined) {
      const message = `"${name}" looks like money: declare it as the tool's value, with the threshold from which on it must be acknowledged.`;
      yield { rule: 'money-without-value', path, message, at: 'key' };
    }
  }
  const place = value && placeIn(input, stepsOf(value.pointer));
  if (place?.kind === 'known' && !place.required) {
    const message =
      'A proposal may leave it out, and must then be acknowledged as if it were above the threshold: make it required if that is not meant.';
    yield { rule: 'value-optional', path: ['value', 'pointer'], message };
  }
}

function isNumber(schema: unknown): boolean {
  return typesOf(schema)?.some((type) => type === 'number' || type === 'integer') ?? false;
}

function* checkFindings(
  key: 'precondition' | 'verify',
  check: CheckEntry | undefined,
  { input }: ToolEntry,
  file: CatalogFile,
): Generator<Finding> {
  if (check === undefined) return;
  const required = file.tools[check.read]?.input.required;
  for (const [name, pointer] of Object.entries(check.arguments)) {
    const given = placeIn(input, stepsOf(pointer));
    if (given.kind !== 'known' || given.required || !Array.isArray(required) || !required.includes(name)) continue;
    const message = `${check.read} requires it, and a proposal may leave ${pointer} out: then the check has no answer.`;
    yield { rule: 'check-argument-optional', path: [key, 'arguments', name], message };
  }
}
