import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';

const mask = { type: 'mask', expression: '(\\d{12})\\d{4}', replacement: '*' };
const headers = { 'Content-Type': 'application/json' };

export const previewExamples: readonly ApiExample[] = [
  {
    summary: 'A mask for a response',
    status: 200,
    request: { body: { response_transforms: [mask], response: { headers, body: '{"number":"4242424242424242"}' } } },
    response: { response: { headers, body: '{"number":"************4242"}' }, tokens: 0, values: 0 },
  },
  {
    summary: 'A mask for a request',
    status: 400,
    request: { body: { request_transforms: [mask] } },
    problem: invalid({
      'request_transforms.0.type': ['must be tokenize, append_header, append_json, append_text or remove'],
    }),
  },
];
