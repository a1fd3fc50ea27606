/**
 * The standard variables of OpenTelemetry that say whether and how traces are sent. Of those that the exporter reads by itself
 * (headers, certificates, time-outs, compression) only the address is checked here.
 */

type Environment = Readonly<Record<string, string | undefined>>;

export const traceProtocols = ['http/protobuf', 'http/json'] as const;

export const traceSamplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

export interface TraceSettings {
  readonly protocol: (typeof traceProtocols)[number];
  readonly sampler: { readonly name: (typeof traceSamplers)[number]; readonly ratio: number };
  readonly batch: {
    readonly maxQueueSize: number | undefined;
    readonly maxExportBatchSize: number | undefined;
    readonly scheduledDelayMillis: number | undefined;
    readonly exportTimeoutMillis: number | undefined;
  };
}

/** Null: traces are not recorded. What cannot be used is added to the problems. */
export function readTraceSettings(env: Environment, problems: string[]): TraceSettings | null {
  const given = (...names: readonly string[]): [name: string, text: string] => {
    const name = names.find((each) => (env[each]?.trim() ?? '') !== '') ?? names[0] ?? '';
    return [name, env[name]?.trim() ?? ''];
  };
  const [endpointName, endpoint] = given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const [exporterName, exporter] = given('OTEL_TRACES_EXPORTER');
  if (endpoint === '' || exporter === 'none' || given('OTEL_SDK_DISABLED')[1].toLowerCase() === 'true') return null;

  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    problems.push(
      `${endpointName} is ${JSON.stringify(endpoint)}; it takes an address that begins with http:// or https://.`,
    );
  oneOf(exporterName, exporter || 'otlp', ['otlp', 'none'], problems);
  const [protocolName, protocol] = given('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL');
  const [samplerName, sampler] = given('OTEL_TRACES_SAMPLER');
  const number = (name: string, most: number): number | undefined => {
    const [, text] = given(name);
    if (text === '') return undefined;
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value <= most) return value;
    problems.push(`${name} is ${JSON.stringify(text)}; it takes a number from 0 to ${most}.`);
    return undefined;
  };
  return {
    protocol: oneOf(protocolName, protocol || traceProtocols[0], traceProtocols, problems),
    sampler: {
      name: oneOf(samplerName, sampler || traceSamplers[0], traceSamplers, problems),
      ratio: number('OTEL_TRACES_SAMPLER_ARG', 1) ?? 1,
    },
    batch: {
      maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE', 1_000_000),
      maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 1_000_000),
      scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY', 3_600_000),
      exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT', 3_600_000),
    },
  };
}

function oneOf<const T extends string>(name: string, text: string, all: readonly T[], problems: string[]): T {
  const found = all.find((each) => each === text);
  if (found === undefined) problems.push(`${name} is ${JSON.stringify(text)}; it takes one of ${all.join(', ')}.`);
  // There is always a first one; a problem stops the start.
  return found ?? (all[0] as T);
}
