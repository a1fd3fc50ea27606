import { randomBytes } from 'node:crypto';
import { assertNoEffect, type Check, failed, passed, resultOf, saidOf, skipped, type Trial, warned } from '../check.ts';
import type { Call } from '../contract/call.ts';
import { canonicalArgs } from '../samples.ts';
import { type How, nowSeconds } from '../vendor.ts';

const tooOld = 10 * 60;

export const signatureRequired: Check = {
  id: 'signature-required',
  sends:
    'writes that are not signed, signed with another secret, with a timestamp ten minutes away, with another body or `webhook-id` than was signed; a read and a probe that are not signed; then calls that are signed well, with each secret that was given, and beside the signature of a stranger',
  expects: '401 (UNAUTHENTICATED) and nothing done for the first, an answer for the last',
  why: 'Whoever can reach the endpoint could otherwise skip the person who confirms, or send again what was recorded.',
  mend: 'Verify `webhook-id`, `webhook-timestamp` and `webhook-signature` over the bytes as they came, before you parse them, and answer 401.',
  with: '--signing-secret-env or --signing-secret-file',
  needs: ['answers-a-write', 'answers-a-read'],
  async run(trial) {
    const { secrets, bearer, read, probe } = trial.settings;
    if (secrets.length === 0) {
      if (bearer !== undefined) return skipped('No signing secret was given; the endpoint asks for a token.');
      return warned('Not checked, since no signing secret was given. The endpoint answers whoever can reach it.');
    }
    const stranger = `whsec_${randomBytes(32).toString('base64')}`;
    const old = nowSeconds() - tooOld;
    const forged: [string, (call: Call) => How][] = [
      ['not signed', () => ({ sign: false })],
      ['signed with another secret', () => ({ sign: { secrets: [stranger] } })],
      ['signed ten minutes ago', () => ({ sign: { timestamp: old } })],
      ['signed ten minutes from now', () => ({ sign: { timestamp: nowSeconds() + tooOld } })],
      ['with another body than was signed', (call) => ({ signedAs: { ...call, attempt: call.attempt + 1 } })],
      ['with another webhook-id than was signed', (call) => ({ statedId: `${call.requestId}-9` })],
    ];
    const others = new Set<string>();
    for (const [what, how] of forged) {
      const write = trial.newWrite();
      const before = await trial.count();
      const answer = await trial.send(write, { ...how(write), what });
      if (answer.kind !== 'turned-away') return failed(`A write ${what} was to be turned away, and ${saidOf(answer)}.`);
      if (!answer.unauthenticated) others.add(answer.status);
      await assertNoEffect(trial, write, before, `A write ${what}`);
    }
    const unsigned: Call[] = read ? [trial.newRead(read.tool, canonicalArgs(read.args))] : [];
    const asked = trial.newWrite();
    if (probe) unsigned.push({ ...asked, mode: 'probe' });
    trial.notDone(asked);
    for (const call of unsigned) {
      const answer = await trial.send(call, { sign: false, what: 'not signed' });
      if (answer.kind !== 'turned-away')
        return failed(`A ${call.mode} that is not signed was to be turned away, and ${saidOf(answer)}.`);
    }
    for (const secret of secrets.length > 1 ? secrets : [])
      await letIn(trial, [secret], 'signed with one of the secrets');
    await letIn(trial, [stranger, ...secrets.slice(0, 1)], 'whose right signature stands beside another one');
    if (others.size === 0) return passed();
    return warned(
      `Turned away, but with ${[...others].join(', ')}: 401 (UNAUTHENTICATED) says that the signature is the reason.`,
    );
  },
};

async function letIn(trial: Trial, secrets: readonly string[], what: string): Promise<void> {
  const { read } = trial.settings;
  const call = read ? trial.newRead(read.tool, canonicalArgs(read.args)) : trial.newWrite();
  resultOf(await trial.send(call, { sign: { secrets }, what }), `A ${call.mode === 'read' ? 'read' : 'write'} ${what}`);
}
