import type { EndpointSettings } from '../../domain/endpoint.ts';
import type { Bounds, Failure, Transport } from '../transport.ts';
import { authorizeMessage } from './authorize-message.ts';
import { invokeMessage } from './invoke-message.ts';
import { probeMessage } from './probe-message.ts';
import type { ProtoMessage, ProtoWire } from './unary.ts';

/** The three calls in the words of protobuf, over whichever protocol carries them. */
export function createProtoTransport(wire: ProtoWire): Transport {
  function by<Asked, Said>(method: ProtoMessage<Asked, Said>) {
    return async (asked: Asked, settings: EndpointSettings, bounds: Bounds): Promise<Said | Failure> => {
      const answered = await wire.send(method.request(asked), settings, bounds);
      if (answered.kind !== 'message') return answered;
      try {
        return method.reply(answered.bytes, settings);
      } catch (cause) {
        return { kind: 'unreadable', cause };
      }
    };
  }
  return {
    invoke: by(invokeMessage),
    probe: by(probeMessage),
    authorize: by(authorizeMessage),
    close: wire.close,
  };
}
