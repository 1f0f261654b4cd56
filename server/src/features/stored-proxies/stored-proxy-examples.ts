import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleIds, exampleLaterTime, exampleSecrets, exampleTime } from '../../http/routes/example-values.ts';

const one = { id: exampleIds.proxy };
const missing: ApiExample = {
  summary: 'No such proxy',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such proxy.' },
};

const tokenize = {
  type: 'tokenize',
  options: { location: '$.card.number', token: { type: 'card_number', data: '{{ value }}' } },
};
const settings = {
  name: 'Cards of a partner',
  destination_url: 'https://orders.example.com/cards',
  request_transforms: [tokenize],
};
const view = {
  id: exampleIds.proxy,
  key: exampleSecrets.proxy,
  tenant_id: exampleIds.tenant,
  name: settings.name,
  destination_url: settings.destination_url,
  require_auth: true,
  configuration_names: [],
  request_transforms: [tokenize],
  response_transforms: [],
  disable_detokenization: false,
  created_by: exampleIds.manager,
  created_at: exampleTime,
};
const other = {
  name: 'Charges',
  destination_url: 'https://provider.example.com/v1/charges',
  configuration: { API_KEY: 'provider-key' },
  request_transforms: [
    { type: 'append_header', options: { location: 'Authorization', value: 'Bearer {{ configuration.API_KEY }}' } },
  ],
  response_transforms: [{ type: 'mask', matcher: 'regex', expression: '(\\d{12})\\d{4}', replacement: '*' }],
  timeout: 30,
};
const { configuration: _secret, ...shownOther } = other;

export const storedProxyExamples = {
  createProxy: [
    {
      summary: 'Replace card numbers with tokens',
      status: 201,
      request: { body: settings },
      response: { ...view, id: exampleIds.created },
    },
    {
      summary: 'A transform with code',
      status: 400,
      request: { body: { ...settings, request_transforms: [{ type: 'code', code: 'module.exports = () => 1' }] } },
      problem: invalid({
        'request_transforms.0.type': [
          'must be tokenize, append_header, append_json, append_text or remove: a vault runs no code of its users. To replace a value with a token, use {"type": "tokenize", "options": {"location": "$.card.number", "token": {"type": "card_number", "data": "{{ value }}"}}}',
        ],
      }),
    },
    {
      summary: 'A destination that must not be called',
      status: 400,
      request: { body: { ...settings, destination_url: 'https://169.254.169.254/' } },
      problem: invalid({
        destination_url: ['cannot be called: the destination must be a host name, not an IP address'],
      }),
    },
  ],
  listProxies: [
    {
      summary: 'The proxies of the tenant',
      status: 200,
      response: {
        pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 },
        data: [view],
      },
    },
    {
      summary: 'A page that cannot exist',
      status: 400,
      request: { query: { page: '0' } },
      problem: invalid({ page: ['must be a whole number from 1 to 999999999'] }),
    },
  ],
  getProxy: [{ summary: 'A proxy', status: 200, request: { path: one }, response: view }, missing],
  updateProxy: [
    {
      summary: 'Charge at a payment provider',
      status: 200,
      request: { path: one, body: other },
      response: {
        ...view,
        ...shownOther,
        configuration_names: ['API_KEY'],
        modified_by: exampleIds.manager,
        modified_at: exampleLaterTime,
      },
    },
    { ...missing, request: { path: { id: exampleIds.nobody }, body: other } },
  ],
  patchProxy: [
    { summary: 'Another name', status: 204, request: { path: one, body: { name: 'Cards of our partner' } } },
    { ...missing, request: { path: { id: exampleIds.nobody }, body: { name: 'Cards' } } },
  ],
  deleteProxy: [{ summary: 'Delete a proxy', status: 204, request: { path: one } }, missing],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
