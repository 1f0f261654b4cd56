import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleEnd, exampleFingerprints, exampleIds, exampleTime } from '../../http/routes/example-values.ts';

const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' };
const view = {
  id: exampleIds.tokenIntent,
  tenant_id: exampleIds.tenant,
  type: 'card',
  fingerprint: exampleFingerprints.card,
  card: { bin: '42424242', last4: '4242', brand: 'visa', expiration_month: 12, expiration_year: 2030 },
  created_by: exampleIds.caller,
  created_at: exampleTime,
  expires_at: exampleEnd,
};
const missing = {
  summary: 'No such token intent',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such token intent, or it has expired.' },
} as const;

export const tokenIntentExamples = {
  createTokenIntent: [
    {
      summary: 'Keep a card for a day',
      status: 201,
      key: 'private',
      request: { body: { type: 'card', data } },
      response: { ...view, id: exampleIds.created },
    },
    {
      summary: 'A mistyped number',
      status: 400,
      request: { body: { type: 'card', data: { ...data, number: '4242424242424241' } } },
      problem: invalid({ 'data.number': ['The card number has an invalid checksum.'] }),
    },
  ],
  getTokenIntent: [
    { summary: 'A token intent', status: 200, request: { path: { id: exampleIds.tokenIntent } }, response: view },
    missing,
  ],
  deleteTokenIntent: [
    { summary: 'Delete a token intent', status: 204, request: { path: { id: exampleIds.tokenIntent } } },
    missing,
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
