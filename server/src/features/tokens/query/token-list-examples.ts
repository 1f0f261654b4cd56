import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds } from '../../../http/routes/example-values.ts';
import { cardView, personView } from '../model/token-example-views.ts';

const unknownField: ApiExample = {
  summary: 'A field that does not exist',
  status: 400,
  request: { body: { query: 'customer:c-1042' } },
  problem: invalid({
    query: [
      'Expected one of the fields id, type, data, fingerprint, created_by, modified_by, created_at, modified_at, container, metadata.<key> at offset 0.',
    ],
  }),
};

export const tokenListExamples = {
  listTokens: [
    {
      summary: 'Cards of a customer',
      status: 200,
      request: { query: { type: 'card', 'metadata.customer_id': 'c-1042', size: '10' } },
      response: {
        pagination: { total_items: 1, page_number: 1, page_size: 10, total_pages: 1 },
        data: [cardView],
      },
    },
    {
      summary: 'An unknown parameter',
      status: 400,
      request: { query: { contaner: '/pci/' } },
      problem: invalid({
        querystring: [
          'has an unknown parameter; known parameters are id, type, container, fingerprint, metadata, page, size',
        ],
      }),
    },
  ],
  listTokensV2: [
    {
      summary: 'The first page of everything in a container',
      status: 200,
      request: { query: { container: '/', size: '1' } },
      response: { pagination: { page_size: 1, next: `1772443800000.${exampleIds.person}` }, data: [personView] },
    },
    {
      summary: 'A page that is too large',
      status: 400,
      request: { query: { size: '500' } },
      problem: invalid({ size: ['must be a whole number from 1 to 100'] }),
    },
  ],
  searchTokens: [
    {
      summary: 'By the last four digits of a social security number',
      status: 200,
      request: { body: { query: 'type:social_security_number AND data:6789' } },
      response: {
        pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 },
        data: [personView],
      },
    },
    unknownField,
  ],
  searchTokensV2: [
    {
      summary: 'By metadata',
      status: 200,
      request: { body: { query: 'metadata.customer_id:c-1042 AND NOT type:card', size: 50 } },
      response: { pagination: { page_size: 50 }, data: [personView] },
    },
    unknownField,
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
