import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import {
  exampleCard,
  exampleFingerprints,
  exampleIds,
  exampleLaterTime,
  exampleMaskedCard,
  exampleTime,
} from '../../http/routes/example-values.ts';
import { cardView, newCardView } from './model/token-example-views.ts';

const renewed = { expiration_month: 9, expiration_year: 2033 };
const missing: ApiExample = {
  summary: 'No such token',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such token.' },
};

export const tokenExamples = {
  createToken: [
    {
      summary: 'Store a card',
      status: 201,
      request: { body: { type: 'card', data: exampleCard, metadata: { customer_id: 'c-1042' } } },
      response: { ...newCardView, metadata: { customer_id: 'c-1042' } },
    },
    {
      summary: 'Store anything, with a mask and a search index of your own',
      status: 201,
      request: {
        body: {
          type: 'token',
          data: { name: 'Ada Lovelace', passport: 'L01X00T47' },
          mask: { name: '{{ data.name }}', passport: '{{ data.passport | reveal_last: 3 }}' },
          search_indexes: ['{{ data.passport }}'],
          fingerprint_expression: '{{ data.passport }}',
          containers: ['/pii/high/'],
          expires_at: '2036-01-01',
        },
      },
      response: {
        id: exampleIds.createdKey,
        tenant_id: exampleIds.tenant,
        type: 'token',
        data: { name: 'Ada Lovelace', passport: 'XXXXXXT47' },
        mask: { name: '{{ data.name }}', passport: '{{ data.passport | reveal_last: 3 }}' },
        fingerprint: exampleFingerprints.person,
        fingerprint_expression: '{{ data.passport }}',
        containers: ['/pii/high/'],
        search_indexes: ['{{ data.passport }}'],
        expires_at: '2036-01-01T00:00:00+00:00',
        created_by: exampleIds.caller,
        created_at: exampleTime,
      },
    },
    {
      summary: 'Store a card that is there already',
      status: 200,
      request: { body: { type: 'card', data: exampleCard, deduplicate_token: true } },
      response: { ...cardView, _extras: { deduplicated: true } },
    },
    {
      summary: 'A card number with a wrong digit',
      status: 400,
      request: { body: { type: 'card', data: { number: '4242424242424241' } } },
      problem: invalid({ 'data.number': ['The card number has an invalid checksum.'] }),
    },
    {
      summary: 'A misspelled member',
      status: 400,
      isMalformed: true,
      request: { body: { type: 'card', data: exampleCard, continers: ['/pci/low/'] } },
      problem: invalid({
        containers: ['is misspelled: the request has an unknown member with a very similar name'],
      }),
    },
    {
      summary: 'An id that is taken',
      status: 409,
      request: { body: { id: exampleIds.card, type: 'card', data: exampleCard } },
      problem: { code: 'token-id-taken', detail: 'A token with this id exists already.' },
    },
  ],
  getToken: [
    {
      summary: 'Masked data',
      status: 200,
      request: { path: { id: exampleIds.card } },
      response: cardView,
    },
    {
      summary: 'Plaintext, with a key whose access rule reveals it',
      status: 200,
      key: 'reveal',
      request: { path: { id: exampleIds.card } },
      response: { ...cardView, data: exampleCard },
    },
    missing,
  ],
  updateToken: [
    {
      summary: 'Change an expiration date and the metadata',
      status: 200,
      request: {
        path: { id: exampleIds.card },
        body: {
          data: renewed,
          metadata: { customer_id: null, order_id: 'o-77' },
        },
      },
      response: {
        ...cardView,
        data: { ...exampleMaskedCard, ...renewed },
        mask: { ...exampleMaskedCard, ...renewed },
        card: { ...cardView.card, ...renewed },
        metadata: { order_id: 'o-77' },
        modified_by: exampleIds.caller,
        modified_at: exampleLaterTime,
      },
    },
    {
      summary: 'An expiry in the past',
      status: 400,
      request: { path: { id: exampleIds.card }, body: { expires_at: '2020-01-01' } },
      problem: invalid({ expires_at: ['The expiration must be in the future.'] }),
    },
    { ...missing, request: { ...missing.request, body: { metadata: { order_id: 'o-77' } } } },
    {
      summary: 'A body that is not a merge patch',
      status: 415,
      request: {
        path: { id: exampleIds.card },
        headers: { 'content-type': 'application/json' },
        body: { metadata: { order_id: 'o-77' } },
      },
      problem: {
        code: 'unsupported-media-type',
        detail: 'This endpoint accepts application/merge-patch+json.',
      },
    },
  ],
  deleteToken: [
    { summary: 'Delete a token', status: 204, request: { path: { id: exampleIds.card } } },
    missing,
    {
      summary: 'A token under a legal hold',
      status: 409,
      given: 'legal-hold',
      request: { path: { id: exampleIds.card } },
      problem: { code: 'legal-hold', detail: 'A legal hold keeps this token as it is.' },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
