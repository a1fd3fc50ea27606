/** Tether through its HTTP door as anybody with an HTTP client can call it: Connect's JSON. */
import { given } from '../children.ts';
import { contend } from '../contender.ts';
import { newArguments, tool } from '../wish.ts';
import { post } from './post.ts';

const agent = headers(given('BENCH_AGENT_KEY'));
const approver = headers(given('BENCH_APPROVER_KEY'));

function headers(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

interface Answer {
  readonly status?: string;
  readonly action?: { readonly id: string; readonly previewDigest: string };
}

async function call(name: string, by: Record<string, string>, request: object): Promise<Answer> {
  return JSON.parse((await post(`/tether.v1.ActionService/${name}`, by, JSON.stringify(request))).toString());
}

contend(async () => {
  const { action } = await call('Stage', agent, {
    tool,
    argumentsJson: newArguments(),
    userId: 'u_7',
    scope: 'store-12',
  });
  if (action === undefined) throw new Error('nothing was staged');
  const { id: actionId, previewDigest } = action;
  const { status } = await call('Confirm', approver, { actionId, previewDigest, expectedAttempts: 0 });
  if (status !== 'CONFIRM_STATUS_EXECUTED') throw new Error(`a confirm was ${status}`);
});
