import type { EndpointSettings, EndpointTls } from '../../domain/endpoint.ts';

/** Connections of one kind, by what matters to them: the origin, and what TLS rests on. Settings may change at a reload. */
export function byOrigin<C extends { close(): Promise<void> }>(
  create: (origin: URL, tls: EndpointTls | undefined) => C,
): {
  of(settings: Pick<EndpointSettings, 'url' | 'tls'>): { readonly connections: C; readonly url: URL };
  close(): Promise<void>;
} {
  const urls = new Map<string, { readonly connections: C; readonly url: URL }>();
  const origins = new Map<string, C>();
  return {
    of({ url: text, tls }) {
      const by = tls === undefined ? '' : `${tls.id} `;
      const known = urls.get(by + text);
      if (known !== undefined) return known;
      const url = new URL(text);
      const connections = origins.get(by + url.origin) ?? create(new URL(url.origin), tls);
      origins.set(by + url.origin, connections);
      const entry = { connections, url };
      urls.set(by + text, entry);
      return entry;
    },
    async close() {
      await Promise.all([...origins.values()].map((connections) => connections.close()));
    },
  };
}
