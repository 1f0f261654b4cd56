import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { countLockWaits } from '../../../../test/harness/lock-waits.ts';
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

/**
 * Sends requests that are certain to share a batch. They all wait until the requests that occupy every batch are
 * released.
 */
async function tokenizeTogether(bodies: readonly (readonly unknown[])[]) {
  const holder = await vault.database.owner.connect();
  try {
    await holder.query('begin; lock table tokens in access exclusive mode');
    const ahead: ReturnType<typeof tokenize>[] = [];
    while (ahead.length < batchesMax) {
      ahead.push(tokenize([`ahead ${ahead.length}`]));
      await untilTrue(async () => (await countLockWaits(vault.database.owner)) === ahead.length, {
        waitingFor: 'a batch that hangs',
      });
    }
    const asked = bodies.map((body) => tokenize(body));
    const { waiting } = vault.server.core.database.batches;
    await untilTrue(() => waiting.get('token-group') === bodies.flat().length, { waitingFor: 'all to wait' });
    await holder.query('rollback');
    expect((await Promise.all(ahead)).map(({ status }) => status)).toEqual(ahead.map(() => 200));
    return await Promise.all(asked);
  } finally {
    holder.release(true);
  }
}

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
