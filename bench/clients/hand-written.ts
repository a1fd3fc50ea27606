/** The hand-written server, called by the client that calls Tether's HTTP door. */
import { contend } from '../contender.ts';
import { newArguments } from '../wish.ts';
import { post } from './post.ts';

const headers = { 'content-type': 'application/json' };

contend(async () => {
  const staged = JSON.parse((await post('/stage', headers, `{"arguments":${newArguments()}}`)).toString());
  const confirmed = JSON.parse((await post('/confirm', headers, JSON.stringify({ id: staged.id }))).toString());
  if (confirmed.status !== 'executed') throw new Error(`a confirm was ${confirmed.status}`);
});
