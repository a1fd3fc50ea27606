import { toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { AnySchema, anyPack } from '@bufbuild/protobuf/wkt';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import type { ActionableError } from '../../domain/error.ts';
import { errorToWire } from '../../wire/error.ts';

/** The trailer in which gRPC clients look for a google.rpc.Status. */
export const statusDetailsKey = 'grpc-status-details-bin';

/**
 * A google.rpc.Status (code = 1, message = 2, details = 3) with one detail of type
 * `type.googleapis.com/tether.v1.ActionableError`, which stock clients of every language can unpack.
 */
export function statusDetails(code: number, message: string, detail: ActionableError): Buffer {
  const any = toBinary(AnySchema, anyPack(ActionableErrorSchema, errorToWire(detail)));
  const status = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(code)
    .tag(2, WireType.LengthDelimited)
    .string(message)
    .tag(3, WireType.LengthDelimited)
    .bytes(any)
    .finish();
  return Buffer.from(status);
}
