import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleCard, exampleIds } from '../../../http/routes/example-values.ts';
import { newCardView } from '../model/token-example-views.ts';

export const tokenizeExamples = {
  tokenize: [
    {
      summary: 'A customer with a card',
      status: 200,
      request: { body: { name: 'Ada Lovelace', newsletter: true, card: { type: 'card', data: exampleCard } } },
      response: { name: exampleIds.createdKey, newsletter: true, card: newCardView },
    },
    {
      summary: 'A card number with a wrong digit',
      status: 400,
      request: { body: { name: 'Ada Lovelace', card: { type: 'card', data: { number: '4242424242424241' } } } },
      problem: invalid({ 'card.data.number': ['The card number has an invalid checksum.'] }),
    },
    {
      summary: 'An id that is taken',
      status: 409,
      request: { body: { card: { id: exampleIds.card, type: 'card', data: exampleCard } } },
      problem: { code: 'token-id-taken', detail: 'A token with this id exists already (card.id).' },
    },
  ],
  detokenize: [
    {
      summary: 'Parts of a card, with a key whose access rule reveals it',
      status: 200,
      key: 'reveal',
      request: {
        body: {
          pan: `{{ ${exampleIds.card} | json: '$.number' }}`,
          month: `{{ ${exampleIds.card} | json: '$.expiration_month' }}`,
          reference: `Card ending in {{ ${exampleIds.card} | json: '$.number' | last4 }}`,
        },
      },
      response: { pan: '4242424242424242', month: 12, reference: 'Card ending in 4242' },
    },
    {
      summary: 'A token that does not exist',
      status: 400,
      request: { body: { pan: `{{ ${exampleIds.nobody} }}` } },
      problem: {
        code: 'validation-failed',
        detail: `Failed to detokenize some tokens: ${exampleIds.nobody}. Tokens were not found.`,
      },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
