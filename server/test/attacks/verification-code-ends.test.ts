import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepTokensJobs } from '../../src/features/tokens/upkeep/sweep-tokens-jobs.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * Previously, a card verification code was removed after its hour without a record, so nobody could
 * prove that it had expired.
 */
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const number = '4242424242424242';
const card = { type: 'card', data: { number, cvc: '123' } };

async function send(method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : undefined;
  const answer = await vault.request(method, path, {
    key: tenant.keys.reveal,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}
const create = async (more: object = {}) =>
  ((await send('POST', '/tokens', { ...card, ...more })) as { id: string }).id;
const patch = (id: string, body: unknown) => send('PATCH', `/tokens/${id}`, body);
/** Expires codes before their hour is over, so that tests do not have to wait. */
const endHour = () =>
  owner().query(`update token_cvcs set expires_at = now() - interval '1 second' where tenant_id = $1`, [tenant.id]);
const sweep = async () => {
  for (const job of sweepTokensJobs(vault.server.core.database)) await job.run(undefined);
};
const codes = async () => (await owner().query('select from token_cvcs where tenant_id = $1', [tenant.id])).rowCount;
const records = async (of = tenant) => vault.auditRecords(of.id);
const ends = async (of = tenant) => (await records(of)).filter(({ operation }) => operation === 'property_expired');

describe('the end of a verification code', () => {
  it.each<[string, (id: string) => Promise<unknown>, () => Promise<string>]>([
    ['a create', async () => undefined, () => create()],
    ['an update', (id) => patch(id, { data: { cvc: '987' } }), () => create({ data: { number } })],
    ['an update that writes it again', (id) => patch(id, { data: { cvc: '123' } }), () => create()],
    [
      'a tokenize request',
      async () => undefined,
      async () => ((await send('POST', '/tokenize', { card })) as { card: { id: string } }).card.id,
    ],
  ])('is recorded once if it was stored by %s', async (_name, change, store) => {
    const id = await store();
    await change(id);
    await endHour();
    await sweep();
    await sweep();
    expect(await codes()).toBe(0);
    expect(await ends()).toMatchObject([
      {
        entity_type: 'token',
        entity_id: id,
        operation: 'property_expired',
        outcome: 'success',
        actor_type: 'system',
        actor_id: null,
        key_id: null,
        transform: null,
        containers: ['/pci/high/'],
      },
    ]);
  });

  it('is found in the log by the id of its token, and says which property and no value', async () => {
    const id = await create({ containers: ['/shops/1/', '/pci/high/'] });
    await endHour();
    await sweep();
    const { body } = await vault.request('GET', `/logs?entity_id=${id}&operation=property_expired`, {
      key: tenant.keys.management,
    });
    expect((body as { data: unknown[] }).data).toMatchObject([
      {
        entity_type: 'token',
        message: 'Token property expired',
        actor_type: 'system',
        containers: ['/shops/1/', '/pci/high/'],
        details: { fields: ['data.cvc'] },
      },
    ]);
    expect(JSON.stringify(await ends())).not.toContain('"123"');
  });

  it('is recorded again for a code that is stored later', async () => {
    const id = await create();
    for (let count = 1; count <= 3; count += 1) {
      await endHour();
      await sweep();
      expect(await ends()).toHaveLength(count);
      await patch(id, { data: { cvc: '987' } });
    }
  });

  it('is recorded for each token once, although several sweep at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => create()));
    await endHour();
    await Promise.all(Array.from({ length: 6 }, sweep));
    expect((await ends()).map(({ entity_id }) => String(entity_id)).toSorted()).toEqual(ids.toSorted());
  });

  it('is recorded for more codes than one transaction takes', async () => {
    await send(
      'POST',
      '/tokenize',
      Array.from({ length: 1_000 }, () => card),
    );
    await create();
    await endHour();
    await sweep();
    expect([await codes(), (await ends()).length]).toEqual([0, 1_001]);
  });

  it('leaves no record in the log of another tenant', async () => {
    const other = await vault.makeTenant();
    await create();
    await endHour();
    await sweep();
    expect([(await ends()).length, (await ends(other)).length]).toEqual([1, 0]);
  });
});

describe('no expiry is recorded', () => {
  const cases: readonly [name: string, act: (id: string) => Promise<unknown>, operation: string, codesLeft: number][] =
    [
      ['before the hour of the code is over', async () => undefined, 'create', 1],
      [
        'for a code that was written again before the sweep',
        async (id) => {
          await endHour();
          await patch(id, { data: { cvc: '987' } });
        },
        'update',
        1,
      ],
      ['for a code that an update has removed', (id) => patch(id, { data: { cvc: null } }), 'update', 0],
      ['for a code that was deleted with its token', (id) => send('DELETE', `/tokens/${id}`), 'delete', 0],
      [
        'for a code that expired with its token',
        (id) =>
          owner().query(
            `update tokens set expires_at = now() - interval '1 minute', expires_at_offset_minutes = 0 where id = $1`,
            [id],
          ),
        'expire',
        0,
      ],
    ];
  it.each(cases)('%s', async (_name, act, operation, left) => {
    const id = await create();
    await act(id);
    await sweep();
    expect([await codes(), await ends()]).toEqual([left, []]);
    expect((await records()).filter(({ entity_id }) => entity_id === id).at(-1)).toMatchObject({ operation });
  });
});

describe('a record that cannot be written', () => {
  it('keeps the code until both are possible', async () => {
    await create();
    await endHour();
    await owner().query(`create function refuse_end() returns trigger language plpgsql as
      $$ begin if new.operation = 'property_expired' then raise 'no room'; end if; return new; end $$`);
    await owner().query(
      'create trigger refuse_end before insert on audit_records for each row execute function refuse_end()',
    );
    await expect(sweep()).rejects.toThrow('SQLSTATE P0001');
    expect([await codes(), await ends()]).toEqual([1, []]);
    await owner().query('drop trigger refuse_end on audit_records');
    await sweep();
    expect([await codes(), (await ends()).length]).toEqual([0, 1]);
  });
});
