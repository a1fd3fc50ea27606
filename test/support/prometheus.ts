/** Prometheus' text format, read strictly: a line that is none is an error. */

export interface Samples {
  /** Every name that has a type. */
  readonly names: readonly string[];
  /** The value of the one sample of that name which has at least these labels; undefined for none. Throws for several. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  /** The values of a label over all samples of that name. */
  labels(name: string, label: string): string[];
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

export function parseMetrics(text: string): Samples {
  const names: string[] = [];
  const samples: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const [, typed] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (typed !== undefined) {
      names.push(typed);
      continue;
    }
    const [, name = '', inner = '', value] = sample.exec(line) ?? [];
    if (name === '') throw new Error(`no sample: ${line}`);
    samples.push({ name, labels: labelsOf(inner, line), value: Number(value) });
  }
  return {
    names,
    value(name, wanted = {}) {
      const found = samples.filter(
        (each) => each.name === name && Object.entries(wanted).every(([key, value]) => each.labels[key] === value),
      );
      if (found.length > 1) throw new Error(`${found.length} samples of ${name} with ${JSON.stringify(wanted)}`);
      return found[0]?.value;
    },
    labels: (name, key) => samples.flatMap((each) => (each.name === name ? [each.labels[key] ?? ''] : [])),
  };
}

function labelsOf(inner: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  for (let at = 0; at < inner.length; at = label.lastIndex) {
    const [, key, value] = label.exec(inner) ?? [];
    if (key === undefined || value === undefined) throw new Error(`no labels: ${line}`);
    labels[key] = value;
  }
  return labels;
}
