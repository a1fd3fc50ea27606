import type { EndpointAnswer, EndpointCall } from './endpoint-answer.ts';

/** A server of one transport: asks what to do with each call, and does it. */
export type Serve = (decide: (call: EndpointCall) => Promise<EndpointAnswer>, port: number) => Promise<Served>;

export interface Served {
  readonly port: number;
  readonly path: string;
  /** TCP connections accepted so far. */
  connections(): number;
  /** Drops all connections, answered or not. */
  close(): Promise<void>;
}
