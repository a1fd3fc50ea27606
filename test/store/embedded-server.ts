/** A process with an embedded PostgreSQL, to be killed: `node embedded-server.ts <dataDir>` prints the URL and stays. */
import { startEmbedded } from '../../server/store/embedded/embedded.ts';

const [, , dataDir = ''] = process.argv;
const { url } = await startEmbedded({ dataDir });
process.stdout.write(`${url}\n`);
setInterval(() => undefined, 60_000);
