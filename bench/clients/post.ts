import { Pool } from 'undici';
import { given } from '../children.ts';

const pool = new Pool(given('BENCH_HTTP_URL'), { connections: 64, pipelining: 1 });

/** POSTs to the HTTP door over connections that are kept; rejects for any answer but 200. */
export async function post(
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): Promise<Buffer> {
  const { statusCode, body: answer } = await pool.request({ method: 'POST', path, headers: { ...headers }, body });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${bytes.toString()}`);
  return bytes;
}
