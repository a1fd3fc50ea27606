import { type Dispatcher, request } from 'undici';

/** Why what an issuer publishes cannot be used, in our own words: what it sent stands in no log. */
export class Unusable extends Error {}

/**
 * Reads a JSON document. Redirects are not followed; how long and how large it may be is the signal's and the dispatcher's
 * matter. Rejects with Unusable, or with what the network says.
 */
export async function fetchJson(url: URL, dispatcher: Dispatcher, signal: AbortSignal): Promise<unknown> {
  const { statusCode, body } = await request(url, { dispatcher, signal, headers: { accept: 'application/json' } });
  if (statusCode !== 200) {
    // Breaking it off is an error of the body's, which nobody else waits for.
    body.on('error', () => undefined).destroy();
    throw new Unusable(`${url.origin}${url.pathname} answers with HTTP status ${statusCode}`);
  }
  const text = await body.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Unusable(`${url.origin}${url.pathname} answers with something that is not JSON`);
  }
}

/** What failed, without the words of whoever is at the other end. */
export function reasonOf(error: unknown): string {
  if (error instanceof Unusable) return error.message;
  if (!(error instanceof Error)) return 'it failed';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
