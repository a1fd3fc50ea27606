/** The endpoint as a check sees it: sends what Tether would send, or what it would not, and keeps what was said. */
import { randomBytes } from 'node:crypto';
import type { Answer } from './contract/answer.ts';
import type { Call } from './contract/call.ts';
import { masked } from './masked.ts';
import { connect } from './protocol/connect.ts';
import { grpc } from './protocol/grpc.ts';
import { json } from './protocol/json.ts';
import type { Message, Protocol, Transport } from './protocol/protocol.ts';
import type { Settings } from './settings/settings.ts';
import { type Signing, signatureHeaders } from './sign.ts';

export interface Vendor {
  send(call: Call, how?: How): Promise<Answer>;
  sendMessage(message: Message, sent: string, how?: How): Promise<Answer>;
  readonly protocol: Protocol;
  /** What was sent last and what came back, short, for a report. */
  readonly last: { readonly sent: string; readonly received: string };
}

/** How it differs from what Tether would do. */
export interface How {
  /** `false` for none at all. */
  readonly sign?: false | Partial<Signing>;
  /** The header that says who signed which message; another one than was signed. */
  readonly statedId?: string;
  /** Signed is what this call would have been. */
  readonly signedAs?: Call;
  /** `false` for none at all. */
  readonly bearer?: false | string;
  /** The connection is cut when the whole request is out. */
  readonly cut?: boolean;
  /** What differs, for a report. */
  readonly what?: string;
  /** It is none of what is reported, unless it fails. */
  readonly aside?: boolean;
}

/** What goes with a message. */
interface Told {
  readonly sent: string;
  /** `webhook-id` */
  readonly id: string;
  readonly asked: 'invoke' | 'probe';
  /** The bytes that are signed, if not those that are sent. */
  readonly signed?: Uint8Array;
}

const protocols: Readonly<Record<Transport, Protocol>> = { json, connect, grpc };

export function createVendor(settings: Settings): Vendor {
  const { url, transport, secrets, bearer, timeoutMs } = settings;
  const protocol = protocols[transport];
  const usedIds = new Set<string>();
  let last = { sent: '', received: '' };

  /** As Tether makes them; but never twice the same, also when one and the same attempt is sent twice. */
  function freshId({ requestId, attempt, mode }: Call): string {
    const probe = mode === 'probe' ? '-probe' : '';
    const usual = `${requestId}-${attempt}${probe}`;
    const id = probe || usedIds.has(usual) ? `${usual}-${randomBytes(8).toString('hex')}` : usual;
    usedIds.add(id);
    return id;
  }

  async function post(
    message: Message,
    { sent, id, asked, signed = message.payload }: Told,
    how: How = {},
  ): Promise<Answer> {
    const signing = how.sign === false ? undefined : { secrets, id, timestamp: nowSeconds(), ...how.sign };
    const token = how.bearer === false ? undefined : (how.bearer ?? bearer);
    const headers = {
      ...message.headers,
      ...(signing && signing.secrets.length > 0 && signatureHeaders(signing, signed)),
      ...(how.statedId !== undefined && { 'webhook-id': how.statedId }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const target = new URL(url);
    if (message.path !== '') target.pathname = target.pathname.replace(/\/+$/, '') + message.path;
    const { method, body } = message;
    const exchanged = await protocol.exchange({ method, url: target, headers, body }, { timeoutMs, cut: how.cut });
    const answer: Answer =
      exchanged.kind === 'lost'
        ? { ...exchanged, status: 'no answer', text: '', bytes: 0 }
        : protocol.answer(exchanged, asked);
    if (how.aside !== true)
      last = { sent: how.what ? `${sent}, ${how.what}` : sent, received: receivedText(answer, settings) };
    return answer;
  }

  return {
    protocol,
    send(call, how) {
      const signed = how?.signedAs && protocol.message(how.signedAs).payload;
      const asked = call.mode === 'probe' ? 'probe' : 'invoke';
      return post(protocol.message(call), { sent: sentText(call), id: freshId(call), asked, signed }, how);
    },
    sendMessage(message, sent, how) {
      return post(message, { sent, id: `check-${randomBytes(8).toString('hex')}`, asked: 'invoke' }, how);
    },
    get last() {
      return last;
    },
  };
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** One line of a report has room for that much, characters. */
const mostShown = 300;

function sentText({ mode, tool, args, requestId, attempt, deadline }: Call): string {
  const common = `${mode} ${tool}, key ${requestId}, attempt ${attempt}`;
  return mode === 'probe' ? common : shortened(`${common}, deadline ${deadline.toISOString()}, args ${args}`);
}

/** What came back. It is masked before it is cut: of half a secret nobody could tell that it is one. */
function receivedText(answer: Answer, settings: Settings): string {
  const why = answer.kind === 'lost' || answer.kind === 'unreadable' ? ` (${answer.why})` : '';
  const text = masked(answer.text, settings).replace(/\s+/g, ' ');
  return shortened(`${answer.status}${why} ${text}`.trim());
}

function shortened(text: string): string {
  const printable = text.replace(/\p{C}/gu, '�');
  return printable.length > mostShown ? `${printable.slice(0, mostShown)}…` : printable;
}
