/** The second floor: insert, claim, POST, settle, hand-written for this one job and called in a loop where it stands. */
import { contend } from '../contender.ts';
import { newArguments } from '../wish.ts';
import { confirm, stage } from './same-record.ts';

contend(async () => {
  const args = newArguments();
  await confirm(await stage(args), args);
});
