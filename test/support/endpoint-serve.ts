import type { EndpointAnswer, EndpointCall, EndpointPetition } from './endpoint-answer.ts';

/** Decides what to do with each call. */
export interface Decide {
  invoke(call: EndpointCall): Promise<EndpointAnswer>;
  probe(call: EndpointCall): Promise<EndpointAnswer>;
  authorize(petition: EndpointPetition): Promise<EndpointAnswer>;
}

/** A server of one transport: asks what to do with each call, and does it. */
export type Serve = (decide: Decide, port: number) => Promise<Served>;

export interface Served {
  readonly port: number;
  /** Of the endpoint. */
  readonly path: string;
  /** Of the authorizer. */
  readonly authorizerPath: string;
  /** TCP connections accepted so far. */
  connections(): number;
  /** Drops all connections, answered or not. */
  close(): Promise<void>;
}
