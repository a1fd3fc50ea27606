import type { CredentialVerbs } from '../../server/lifecycle/credentials/credential-verbs.ts';

const notAsked = () => Promise.reject(new Error('this test does not manage credentials'));

/** For doors whose test is about other calls. */
export const noCredentials: CredentialVerbs = { create: notAsked, list: notAsked, rotate: notAsked, revoke: notAsked };
