import type { Stops } from '../../server/lifecycle/ports/stops.ts';

const notAsked = () => Promise.reject(new Error('nothing is stopped or resumed here'));

/** For a lifecycle whose test is about other things: nothing is stopped. */
export const noStops: Stops = {
  recent: async () => [],
  list: async () => [],
  stop: notAsked,
  resume: notAsked,
};
