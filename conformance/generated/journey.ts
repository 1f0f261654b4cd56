// Uses a client that was generated from /openapi.json. `api/description.test.ts` generates `api.d.ts`, compiles this
// file against it and runs it. The test checks the output printed at the end.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

type Token = components['schemas']['Token'];
type DeduplicatedToken = components['schemas']['DeduplicatedToken'];
type Problem = components['schemas']['Problem'];

declare const process: { readonly argv: readonly string[] };
const [, , vaultUrl = '', key = '', destinationUrl = ''] = process.argv;
const client = createClient<paths>({ baseUrl: vaultUrl, headers: { 'BT-API-KEY': key } });

/** Returns the data of a call that must succeed. */
async function succeed<Data>(call: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const batch = crypto.randomUUID();
const created: Token | DeduplicatedToken = await succeed(
  client.POST('/tokens', {
    params: { header: { 'BT-IDEMPOTENCY-KEY': crypto.randomUUID() } },
    body: {
      type: 'card',
      data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2050 },
      metadata: { batch },
      search_indexes: ['{{ data.number }}'],
    },
  }),
);
const { id } = created;
const read: Token = await succeed(client.GET('/tokens/{id}', { params: { path: { id } } }));
const changed: Token = await succeed(
  client.PATCH('/tokens/{id}', {
    params: { path: { id } },
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: { metadata: { batch, changed: 'yes' } },
  }),
);
const listed = await succeed(client.GET('/tokens', { params: { query: { id: [id, 'other'], page: 1, size: 5 } } }));
const listedV2 = await succeed(client.GET('/v2/tokens', { params: { query: { type: 'card', size: 1 } } }));
const searched = await succeed(client.POST('/tokens/search', { body: { query: `metadata.batch:${batch}`, size: 5 } }));
const searchedV2 = await succeed(client.POST('/v2/tokens/search', { body: { query: `id:${id}` } }));
const tokens: Token[] = [...listed.data, ...searched.data, ...searchedV2.data];
const total: number = listed.pagination.total_items + searched.pagination.total_items;

const body = { number: `{{ ${id} | json: '$.number' }}` };
const header = { 'bt-proxy-url': `${destinationUrl}/v1` };
const toPath = { params: { header, path: { path: 'charges' } } };
const proxied = [
  await succeed(client.POST('/proxy', { params: { header }, body })),
  await succeed(client.POST('/proxy/{path}', { ...toPath, body })),
  await succeed(client.PUT('/proxy/{path}', { ...toPath, body })),
  await succeed(client.PATCH('/proxy/{path}', { ...toPath, body })),
  await succeed(client.DELETE('/proxy/{path}', { ...toPath, body })),
  await succeed(client.GET('/proxy/{path}', toPath)),
];

/** The types of errors contain the status and the problem types, so that a client can distinguish them. */
const taken = await client.POST('/tokens', { body: { id, type: 'token', data: 'x' } });
const conflict: components['schemas']['ConflictProblem']['type'] | undefined =
  taken.error?.status === 409 ? taken.error.type : undefined;
const isTaken = conflict === '/docs/errors/token-id-taken';

const missing = await client.GET('/tokens/{id}', { params: { path: { id: 'missing' } } });
const problem: Problem | undefined = missing.error;
const refused = await client.POST('/proxy', { params: { header: { 'bt-proxy-url': 'http://insecure.example' } } });
const deleted = await client.DELETE('/tokens/{id}', { params: { path: { id } } });

const outcome = {
  id,
  read: read.data,
  changed: changed.metadata,
  found: tokens.map((token) => token.id),
  total,
  pageSize: listedV2.pagination.page_size,
  proxied,
  problem: problem?.status,
  isTaken,
  refused: refused.error,
  deleted: deleted.response.status,
};
console.log(JSON.stringify(outcome));
