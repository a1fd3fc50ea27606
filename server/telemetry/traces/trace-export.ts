/** How traces are sent; where to is read by the library. */
export interface TraceExport {
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly sampler: {
    readonly name:
      | 'parentbased_always_on'
      | 'parentbased_always_off'
      | 'parentbased_traceidratio'
      | 'always_on'
      | 'always_off'
      | 'traceidratio';
    /** Of new traces that are recorded, 0 to 1; for the samplers that take one. */
    readonly ratio: number;
  };
  /** What is undefined is the library's own default. */
  readonly batch: {
    readonly maxQueueSize?: number | undefined;
    readonly maxExportBatchSize?: number | undefined;
    readonly scheduledDelayMillis?: number | undefined;
    readonly exportTimeoutMillis?: number | undefined;
  };
}
