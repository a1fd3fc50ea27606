/** Connections of one kind, by the only thing that matters to them: the origin. Settings may change at a reload. */
export function byOrigin<C extends { close(): Promise<void> }>(
  create: (origin: URL) => C,
): {
  of(url: string): { readonly connections: C; readonly url: URL };
  close(): Promise<void>;
} {
  const urls = new Map<string, { readonly connections: C; readonly url: URL }>();
  const origins = new Map<string, C>();
  return {
    of(text) {
      const known = urls.get(text);
      if (known !== undefined) return known;
      const url = new URL(text);
      const connections = origins.get(url.origin) ?? create(new URL(url.origin));
      origins.set(url.origin, connections);
      const entry = { connections, url };
      urls.set(text, entry);
      return entry;
    },
    async close() {
      await Promise.all([...origins.values()].map((connections) => connections.close()));
    },
  };
}
