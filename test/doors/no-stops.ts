import type { StopVerbs } from '../../server/lifecycle/stops/stop-verbs.ts';

const notAsked = () => Promise.reject(new Error('this test stops nothing'));

/** For doors whose test is about other calls. */
export const noStopVerbs: StopVerbs = { stop: notAsked, resume: notAsked, list: notAsked };
