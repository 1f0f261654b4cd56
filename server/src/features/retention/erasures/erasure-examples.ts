import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds, exampleLaterTime, exampleTime } from '../../../http/routes/example-values.ts';

const wish = { container: '/pci/closed/', type: 'card' };
const view = {
  id: exampleIds.erasure,
  status: 'counted',
  ...wish,
  is_limited: false,
  tokens: 0,
  held_tokens: 0,
  removed_tokens: 0,
  created_by: exampleIds.caller,
  created_at: exampleTime,
};
const path = { id: exampleIds.erasure };
const noSuchErasure = {
  summary: 'No such erasure',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such erasure.' },
} satisfies ApiExample;

export const erasureExamples = {
  createErasure: [
    {
      summary: 'Count the cards of a container',
      status: 201,
      key: 'private',
      request: { body: wish },
      response: { ...view, id: exampleIds.created },
    },
    {
      summary: 'A selection of everything',
      status: 400,
      key: 'private',
      request: { body: {} },
      problem: invalid({
        container: ['must be given, or type or metadata: an erasure of everything is not possible'],
      }),
    },
  ],
  confirmErasure: [
    {
      summary: 'Confirm what was counted',
      status: 202,
      key: 'private',
      request: { path, body: { confirmed_tokens: 0 } },
      response: { ...view, status: 'queued', confirmed_at: exampleLaterTime },
    },
    { ...noSuchErasure, key: 'private', request: { path: { id: exampleIds.nobody }, body: { confirmed_tokens: 0 } } },
  ],
  cancelErasure: [
    {
      summary: 'Cancel what was counted',
      status: 200,
      key: 'private',
      request: { path },
      response: { ...view, status: 'cancelled', finished_at: exampleLaterTime },
    },
    { ...noSuchErasure, key: 'private' },
  ],
  listErasures: [
    {
      summary: 'The erasures of the application',
      status: 200,
      key: 'private',
      response: {
        pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 },
        data: [view],
      },
    },
  ],
  getErasure: [
    { summary: 'An erasure', status: 200, key: 'private', request: { path }, response: view },
    { ...noSuchErasure, key: 'private' },
  ],
  getErasureReceipt: [
    {
      summary: 'The receipt of a finished erasure',
      status: 200,
      key: 'private',
      given: 'erased',
      request: { path },
      response: 'strongroom/erasure-receipt/1\n…',
    },
    {
      summary: 'An erasure that is not finished',
      status: 400,
      key: 'private',
      request: { path },
      problem: {
        code: 'validation-failed',
        detail: 'This erasure has no receipt, because it is not finished.',
      },
    },
    { ...noSuchErasure, key: 'private' },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
