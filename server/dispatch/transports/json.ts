import { authorizeJson } from '../authorize-json.ts';
import { envelope, probeEnvelope } from '../envelope.ts';
import { callId, petitionId, probeId } from '../signing/message-id.ts';
import { framingBytes, type Transport } from '../transport.ts';
import { createJsonPost } from './json-post.ts';

/** Plain JSON over HTTP/1.1: one POST to the url as it is declared. */
export function createJsonTransport(monotonic: () => number, wall: () => number): Transport {
  const { post, close } = createJsonPost(monotonic, wall);
  return {
    invoke(outgoing, settings, bounds) {
      const { maxResponseBytes } = settings;
      const { requestId: key } = outgoing;
      return post({ id: () => callId(outgoing), body: envelope(outgoing), key, maxResponseBytes }, settings, bounds);
    },
    probe(question, settings, bounds) {
      const maxResponseBytes = settings.maxResponseBytes + framingBytes;
      const { requestId: key } = question;
      return post(
        { id: () => probeId(question), body: probeEnvelope(question), key, maxResponseBytes },
        settings,
        bounds,
      );
    },
    authorize(petition, settings, bounds) {
      const { maxResponseBytes } = settings;
      return post(
        { id: () => petitionId(petition), body: authorizeJson(petition), maxResponseBytes },
        settings,
        bounds,
      );
    },
    close,
  };
}
