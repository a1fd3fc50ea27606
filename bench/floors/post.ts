import { Pool } from 'undici';
import { given } from '../children.ts';
import { tool } from '../wish.ts';

const endpoint = new Pool(given('BENCH_ENDPOINT_URL'), { connections: 64, pipelining: 1 });

/** POSTs a write to the endpoint and returns its answer, which must be JSON. */
export async function post(id: string, args: string): Promise<string> {
  const { statusCode, body } = await endpoint.request({
    method: 'POST',
    path: '/tools',
    headers: { 'content-type': 'application/json', 'x-tether-idempotency-key': id },
    body: `{"request_id":"${id}","tool":"${tool}","args":${args}}`,
  });
  const result = await body.text();
  if (statusCode !== 200) throw new Error(`the endpoint answered ${statusCode}`);
  JSON.parse(result);
  return result;
}
