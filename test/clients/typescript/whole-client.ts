/** What a page has of the client when it uses all of it, for size.test.ts. */
import { createTetherClient } from '@tether/client';

Object.assign(globalThis, { tether: createTetherClient({ url: 'https://tether.example.com', key: 'key' }) });
