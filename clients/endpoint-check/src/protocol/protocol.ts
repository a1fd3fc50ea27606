import type { Said } from '../contract/answer.ts';
import type { Call } from '../contract/call.ts';
import type { Exchange, HttpAnswer } from '../wire/exchange.ts';

export type Transport = 'json' | 'connect' | 'grpc';

/** How a call looks on the wire of one transport, and what an answer there means. */
export interface Protocol {
  readonly exchange: Exchange;
  message(call: Call): Message;
  answer(answer: HttpAnswer, asked: 'invoke' | 'probe'): Omit<Read, 'kind'> & Said;
  /** What is no call, made of one that is. */
  malformed(sample: Call): readonly Malformed[];
}

export interface Read {
  readonly status: string;
  readonly text: string;
  readonly bytes: number;
}

export interface Message {
  readonly method: string;
  /** What comes after the endpoint's URL; empty for plain JSON. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is signed. */
  readonly payload: Uint8Array;
  /** As it is sent: of gRPC the payload in its frame. */
  readonly body: Uint8Array;
}

export interface Malformed {
  /** What is wrong with it, for a report. */
  readonly what: string;
  readonly message: Message;
  /** A library answers such a thing with INTERNAL before a handler can see it, and nobody can help it. */
  readonly mayFail?: boolean;
  /** Whatever is answered with 2xx is nobody's business here. */
  readonly mayAnswer?: boolean;
}
