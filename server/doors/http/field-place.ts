import type { DescField, DescMessage } from '@bufbuild/protobuf';

/**
 * Where in a request the one field stands that fits, as errors name fields: its name, or a JSON Pointer when it lies deeper, of names
 * alone, since which entry of a list it was is not known. Undefined when none fits, or several do.
 */
export function placeOf(input: DescMessage, fits: (field: DescField) => boolean): string | undefined {
  const [path, ...others] = [...pathsTo(input, fits, [])];
  if (path === undefined || others.length > 0) return undefined;
  return path.length === 1 ? path[0]?.name : `/${path.map(({ name }) => name).join('/')}`;
}

function* pathsTo(
  message: DescMessage,
  fits: (field: DescField) => boolean,
  within: readonly DescField[],
): Generator<readonly DescField[]> {
  for (const field of message.fields) {
    const path = [...within, field];
    if (fits(field)) yield path;
    const again = within.some((each) => each.message === field.message);
    if (field.message !== undefined && !again) yield* pathsTo(field.message, fits, path);
  }
}
