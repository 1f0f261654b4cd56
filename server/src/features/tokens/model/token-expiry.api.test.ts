import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf, recordsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const expire = (id: string) => vault.database.owner.query('update tokens set expires_at = now() where id = $1', [id]);
const storedInstant = async (id: string) => {
  const { rows } = await vault.database.owner.query('select expires_at from tokens where id = $1', [id]);
  return (rows[0] as { expires_at: Date }).expires_at.toISOString();
};

describe('expires_at', () => {
  const spellings = [
    ['2050-08-26T19:23:57-07:00', '2050-08-26T19:23:57-07:00', '2050-08-27T02:23:57.000Z'],
    ['2050-08-26T19:23:57.123+05:45', '2050-08-26T19:23:57.123+05:45', '2050-08-26T13:38:57.123Z'],
    ['2050-08-26T19:23:57Z', '2050-08-26T19:23:57+00:00', '2050-08-26T19:23:57.000Z'],
    ['2050-08-26T19:23:57', '2050-08-26T19:23:57+00:00', '2050-08-26T19:23:57.000Z'],
    ['2050-08-26T19:23', '2050-08-26T19:23:00+00:00', '2050-08-26T19:23:00.000Z'],
    ['2050-08-26', '2050-08-26T00:00:00+00:00', '2050-08-26T00:00:00.000Z'],
    ['8/26/2050', '2050-08-26T00:00:00+00:00', '2050-08-26T00:00:00.000Z'],
    ['08/06/2050', '2050-08-06T00:00:00+00:00', '2050-08-06T00:00:00.000Z'],
    ['8/26/2050 7:23:57 PM -07:00', '2050-08-26T19:23:57-07:00', '2050-08-27T02:23:57.000Z'],
    ['8/26/2050 7:23:57 AM +00:00', '2050-08-26T07:23:57+00:00', '2050-08-26T07:23:57.000Z'],
    ['2050-08-26T19:23:57.1234567Z', '2050-08-26T19:23:57.123+00:00', '2050-08-26T19:23:57.123Z'],
    ['2050-08-26T19:23:57+14:00', '2050-08-26T19:23:57+14:00', '2050-08-26T05:23:57.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59+00:00', '9999-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59-14:00', '+010000-01-01T13:59:59.000Z'],
  ] as const;

  it.each(spellings)('201 %s keeps its offset and is %s', async (expires_at, shown, instant) => {
    const answer = await tokens.create({ type: 'token', data: 1, expires_at });
    expect(answer).toMatchObject({ status: 201, body: { expires_at: shown } });
    expect(tokenOf(await tokens.get(tokenOf(answer).id)).expires_at).toBe(shown);
    expect(await storedInstant(tokenOf(answer).id)).toBe(instant);
  });

  it.each(spellings)('200 %s may come with an update', async (expires_at, shown) => {
    const { id } = await tokens.make({ data: 1 });
    expect(await tokens.patch(id, { expires_at })).toMatchObject({ status: 200, body: { expires_at: shown } });
    expect(tokenOf(await tokens.get(id)).expires_at).toBe(shown);
  });

  it('200 is cleared by null, and kept by an update of something else', async () => {
    const { id } = await tokens.make({ data: 1, expires_at: '2050-01-01T00:00:00+01:00' });
    expect(tokenOf(await tokens.patch(id, { data: 2 })).expires_at).toBe('2050-01-01T00:00:00+01:00');
    expect(tokenOf(await tokens.patch(id, { expires_at: null }))).not.toHaveProperty('expires_at');
    expect(tokenOf(await tokens.get(id))).not.toHaveProperty('expires_at');
    expect((await tokens.patch(id, { expires_at: null })).status).toBe(200);
  });

  it.each([
    '',
    'tomorrow',
    '2001-01-01',
    '1/1/2001',
    new Date().toISOString(),
    '2050-13-01',
    '2050-02-30',
    '26/8/2050',
    '2050-08-26T25:00:00Z',
    '2050-08-26T19:23:57+15:00',
    '2050-08-26T19:23:57 CET',
    '2050-08-26T19:23:57Z\n',
    '+012050-08-26',
    'x'.repeat(51),
    `2050-08-26${' '.repeat(40)}`,
  ])('400 refuses %j on create and on update', async (expires_at) => {
    const { id } = await tokens.make({ data: 1, expires_at: '2050-01-01' });
    const answers = [
      await tokens.create({ type: 'token', data: 1, expires_at }),
      await tokens.patch(id, { expires_at }),
    ];
    expect(answers.map(({ status }) => status)).toStrictEqual([400, 400]);
    expect(answers.map(fieldsOf)).toStrictEqual([['expires_at'], ['expires_at']]);
    expect(tokenOf(await tokens.get(id)).expires_at).toBe('2050-01-01T00:00:00+00:00');
  });

  it.each([[7], [true], [{}], [['2050-01-01']]])('400 refuses %j, which is no text', async (expires_at) => {
    expect(fieldsOf(await tokens.create({ type: 'token', data: 1, expires_at }))).toStrictEqual(['expires_at']);
  });

  it('404 from that instant on, for every operation, each recorded as a miss', async () => {
    const { id } = await tokens.make({ data: 1, expires_at: '2050-01-01' });
    await expire(id);
    const answers = [await tokens.get(id), await tokens.patch(id, { expires_at: null }), await tokens.delete(id)];
    expect(answers.map(({ status }) => status)).toStrictEqual([404, 404, 404]);
    expect(await recordsOf(vault, tenant, id)).toMatchObject([
      { operation: 'create', outcome: 'success' },
      { operation: 'read', outcome: 'missed' },
      { operation: 'update', outcome: 'missed' },
      { operation: 'delete', outcome: 'missed' },
    ]);
  });

  it('leaves a token visible until then', async () => {
    const { id } = await tokens.make({ data: 1, expires_at: '2050-01-01' });
    await vault.database.owner.query(`update tokens set expires_at = now() + interval '1 minute' where id = $1`, [id]);
    expect((await tokens.get(id)).status).toBe(200);
  });
});
