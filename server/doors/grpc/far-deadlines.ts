import { type ServerInterceptingCallInterface, status as statuses } from '@grpc/grpc-js';

/** No timeout is negative: a deadline that lies further back than a busy moment has overflowed, milliseconds. */
const slackMs = 1000;

/**
 * A deadline further off than timers reach (24 days) is as good as none. The library counts timeouts in 32 bits, and has such a call
 * end as it begins when the count comes out negative; what comes out positive is not to be told from a shorter one, and stays.
 */
export function forgetFarDeadline(grpcCall: ServerInterceptingCallInterface): void {
  if (Number(grpcCall.getDeadline()) >= Date.now() - slackMs) return;
  const send: ServerInterceptingCallInterface['sendStatus'] = grpcCall.sendStatus.bind(grpcCall);
  grpcCall.getDeadline = () => Number.POSITIVE_INFINITY;
  grpcCall.sendStatus = (status) => {
    const byTheLibrary = status.code === statuses.DEADLINE_EXCEEDED && !status.metadata;
    if (!byTheLibrary) send(status);
  };
}
