import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { drawerOf } from '../../../platform/nodes/drawers.ts';

const nodes = 2;
const keys = ['a', 'b', 'c', 'd'];
/** Two of them are less than a request may read, and four are more. */
const bulk = 'x'.repeat(4 * 1024 * 1024 - 1_000);
const fingerprint_expression = '{{ data.key }}';

let vault: TestVault;
let tenant: TestTenant;
let ids: string[];
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes });
  tenant = await vault.makeTenant();
  ids = keys.map((_, index) => idOnNode(index % nodes));
  for (const [index, key] of keys.entries()) {
    const body = { id: ids[index], type: 'token', data: { key, bulk }, fingerprint_expression };
    expect((await post('/tokens', body)).status).toBe(201);
  }
});
afterAll(() => vault.stop());

const post = (path: string, body: unknown) => vault.request('POST', path, { key: tenant.keys.reveal, body });

/** As test vaults share drawers out. */
function idOnNode(index: number): string {
  for (;;) {
    const id = crypto.randomUUID();
    if (drawerOf(id) % nodes === index) return id;
  }
}

it.each([
  ['referred to', '/detokenize', () => ids.map((id) => `{{ ${id} | json: '$.key' }}`)],
  [
    'found as duplicates',
    '/tokenize',
    () => keys.map((key) => ({ type: 'token', data: { key }, fingerprint_expression, deduplicate_token: true })),
  ],
])('400 for large tokens on several nodes that are %s together, as on one', async (_name, path, toBody) => {
  const answer = await post(path, toBody());
  expect({ status: answer.status, says: answer.text.includes('8 MiB') }).toEqual({ status: 400, says: true });
  // Those of one node are not too much, and neither are those of two.
  expect((await post(path, toBody().slice(0, 2))).status).toBe(200);
});
