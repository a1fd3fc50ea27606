import type { WebhookVerbs } from '../../server/lifecycle/webhooks/webhook-verbs.ts';

const notAsked = () => Promise.reject(new Error('this test has no webhooks'));

/** For doors whose test is about other calls. */
export const noWebhooks: WebhookVerbs = { listDeliveries: notAsked, redeliver: notAsked };
