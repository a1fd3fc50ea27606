/** A vendor's process: an endpoint with books, asked and told by the process that forked it, and gone when that is. */
import { startEndpoint } from '../endpoint.ts';
import { keepBooks } from './books.ts';
import type { Ask, Reply } from './messages.ts';

const endpoint = await startEndpoint();
const books = keepBooks(endpoint);

const tell = (reply: Reply): void => void process.send?.(reply);

process.on('message', async ({ id, verb, parameters }: Ask) => {
  try {
    // The types of the parameters are those of the verb: see Ask.
    const value: unknown = await Reflect.apply(books[verb], books, parameters);
    tell({ kind: 'answer', id, value });
  } catch (error) {
    tell({ kind: 'fault', id, message: String(error) });
  }
});
process.on('disconnect', () => process.exit());
tell({ kind: 'ready', url: endpoint.url });
