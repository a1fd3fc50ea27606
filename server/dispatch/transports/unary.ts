import type { EndpointSettings } from '../../domain/endpoint.ts';
import type { Bounds, Failure } from '../transport.ts';

/** One unary method, ready to go out. */
export interface Unary {
  /** `/package.Service/Method` */
  readonly path: string;
  readonly message: Uint8Array;
  /** `webhook-id`, should it be signed. */
  readonly id: () => string;
  /** `X-Tether-Idempotency-Key`; undefined for a call without one. */
  readonly key?: string;
}

/** A protocol that carries unary messages: the answering message, or why there is none. */
export interface ProtoWire {
  send(unary: Unary, settings: EndpointSettings, bounds: Bounds): Promise<Failure | Answered>;
  close(): Promise<void>;
}

export interface Answered {
  readonly kind: 'message';
  readonly bytes: Uint8Array;
}

/** A method in the words of protobuf: what is asked, and what an answer to it says. */
export interface ProtoMessage<Asked, Said> {
  request(asked: Asked): Unary;
  /** May throw for what is no such message. */
  reply(bytes: Uint8Array, settings: EndpointSettings): Said | Failure;
}
