import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendTogether } from '../../../../test/harness/send-together.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

/** The number of concurrent batches of one tenant. */
const batchesMax = 2;

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const tokenize = (body: unknown) => vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body });

const tokenizeTogether = (bodies: readonly (readonly unknown[])[]) =>
  sendTogether(vault, {
    batch: 'token-group',
    ahead: Array.from({ length: batchesMax }, (_, index) => () => tokenize([`ahead ${index}`])),
    requests: bodies.map((body) => () => tokenize(body)),
    weight: bodies.flat().length,
  });

it('409 fails alone among concurrent requests that are committed together', async () => {
  const id = `taken-${crypto.randomUUID()}`;
  expect((await tokenize([{ id, type: 'token', data: 'first' }])).status).toBe(200);
  const tap = new StatementTap();
  try {
    const bodies = Array.from({ length: 12 }, (_, index) => [
      `value ${index}`,
      index === 5 ? { id, type: 'token', data: 'second' } : `other ${index}`,
    ]);
    const answers = await tokenizeTogether(bodies);
    expect(answers.map(({ status }) => status)).toEqual(bodies.map((_, index) => (index === 5 ? 409 : 200)));
    const rowCounts = tap.sent.flatMap(({ name, values }) =>
      name === 'token-insert' ? (JSON.parse(String(values?.[1])) as unknown[]).length : [],
    );
    expect(Math.max(...rowCounts)).toBe(24);
    const ids = answers.flatMap(({ status, body }) => (status === 200 ? (body as string[]) : []));
    const { rows } = await vault.database.owner.query('select id from tokens where id = any($1)', [ids]);
    expect(rows).toHaveLength(22);
  } finally {
    tap.close();
  }
});
