/** A process with an embedded PostgreSQL, to be killed: `node embedded-server.ts <dataDir>` prints the URL and stays. */
import { startEmbedded } from '../../server/store/embedded/embedded.ts';

const [, , dataDir = ''] = process.argv;
const { ownerUrl } = await startEmbedded({ dataDir });
process.stdout.write(`${ownerUrl}\n`);
setInterval(() => undefined, 60_000);
