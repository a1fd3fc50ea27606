import type { CallOptions } from './call/call-options.ts';

/** Which page. */
export interface PageInput {
  /** At most so many; the server's default when it is not there. A page may hold fewer, and still not be the last. */
  readonly pageSize?: number;
  /** `nextCursor` of the page before; the first page when it is not there. */
  readonly cursor?: string;
}

/** What every page says of the next. */
export interface Page {
  /** Where the next page begins. Of events it is there on the last page too, for those still to come. */
  readonly nextCursor?: string;
  /** Whether there is more to read now. */
  readonly hasMore: boolean;
}

/**
 * Page after page until the last: `for await (const { actions } of pages(client.list, { needsAttention: true }))`. What is added
 * or changes meanwhile may be told or not; a watch misses nothing.
 */
export async function* pages<Input extends PageInput, Found extends Page>(
  list: (input?: Input, options?: CallOptions) => Promise<Found>,
  input: NoInfer<Input>,
  options?: CallOptions,
): AsyncGenerator<Found, void, undefined> {
  for (let { cursor } = input; ; ) {
    const page = await list({ ...input, cursor }, options);
    yield page;
    if (!page.hasMore || page.nextCursor === undefined) return;
    cursor = page.nextCursor;
  }
}
