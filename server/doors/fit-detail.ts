import type { ActionableError, Alternative } from '../domain/error.ts';

/**
 * The most that the detail of a failed RPC may take, in bytes of JSON. On gRPC it travels base64-coded in the trailers,
 * beside a percent-coded message, and some stock clients take no more than 8 KiB of trailers in all.
 */
const mostBytes = 2048;
const mostMessageBytes = 1000;

/** What is left out, in this order, until the rest fits. A part is dropped whole: half a value would be a wrong one. */
const sacrifices: readonly ((detail: ActionableError) => ActionableError)[] = [
  (detail) => withoutInAlternatives(detail, 'extraJson'),
  ({ receivedJson: _, ...rest }) => rest,
  (detail) => withoutInAlternatives(detail, 'argumentsJson'),
  ({ acceptedJson: _, ...rest }) => rest,
  ({ limitJson: _, ...rest }) => rest,
  ({ alternatives: _, ...rest }) => rest,
  ({ field: _, ...rest }) => rest,
];

/** Makes a detail small enough for every client's trailers; one that is small enough already is returned as it is. */
export function fitDetail(detail: ActionableError): ActionableError {
  let fitted = { ...detail, message: clip(detail.message) };
  for (const sacrifice of sacrifices) {
    if (bytesOf(JSON.stringify(fitted)) <= mostBytes) break;
    fitted = { ...sacrifice(fitted), message: fitted.message };
  }
  return fitted;
}

/** Well-formed (percent-coding throws otherwise) and no longer than a header may be. */
export function clip(message: string): string {
  const whole = message.toWellFormed();
  if (bytesOf(whole) <= mostMessageBytes) return whole;
  const bytes = new TextEncoder().encode(whole).subarray(0, mostMessageBytes - 3);
  return `${new TextDecoder().decode(bytes).replace(/\uFFFD+$/, '')}…`;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function withoutInAlternatives(detail: ActionableError, part: keyof Alternative): ActionableError {
  return {
    ...detail,
    alternatives: detail.alternatives?.map((each) => ({ ...each, [part]: undefined })),
  };
}
