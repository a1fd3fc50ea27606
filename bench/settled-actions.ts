import type { Surroundings } from './contender.ts';
import { newArguments, tool } from './wish.ts';

/** So many lifecycles, by plain JSON; returns the actions' ids. */
export async function settledActions(at: Surroundings, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await settledAction(at));
  return ids;
}

async function settledAction(at: Surroundings): Promise<string> {
  const post = async (path: string, key: string, body: string): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await fetch(`${at.BENCH_HTTP_URL}${path}`, { method: 'POST', headers, body })).json() as Promise<
      Record<string, unknown>
    >;
  };
  const wish = `{"tool":"${tool}","arguments":${newArguments()},"userId":"u_7","scope":"store-12"}`;
  const { action } = (await post('/v1/actions', at.BENCH_AGENT_KEY, wish)) as { action: { id: string } };
  const { status } = await post(`/v1/actions/${action.id}/confirm`, at.BENCH_APPROVER_KEY, '{}');
  if (status !== 'Executed') throw new Error(`a confirm was ${status}`);
  return action.id;
}
