import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { answerBinding } from './sealed-responses-sql.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const create = (idempotencyKey: string, body: unknown, key: string) =>
  vault.request('POST', '/tokens', { key, body, headers: { 'bt-idempotency-key': idempotencyKey } });
const countTokens = async () => {
  const { rows } = await vault.database.owner.query('select from tokens where tenant_id = $1', [tenant.id]);
  return rows.length;
};

describe('what is kept', () => {
  it('is nothing of the data, so a large token is repeated like any other', async () => {
    const key = randomUUID();
    const body = {
      type: 'token',
      data: { large: 'x'.repeat(1_100_000), small: 'y' },
      fingerprint_expression: '{{ data.small }}',
    };
    const first = await create(key, body, tenant.keys.reveal);
    expect(first.status).toBe(201);
    const second = await create(key, body, tenant.keys.reveal);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
  });

  it('is no outcome of more than a mebibyte: then a repetition is refused, and nothing is done again', async () => {
    const headers = { 'bt-idempotency-key': randomUUID() };
    const body = { token: 'y', ['x'.repeat(1_100_000)]: 1 };
    const send = () => vault.request('POST', '/tokenize', { key: tenant.keys.private, body, headers });
    expect((await send()).status).toBe(200);
    const before = await countTokens();
    expect(await send()).toMatchObject({ status: 409, body: { type: '/docs/errors/idempotency-answer-not-kept' } });
    expect(await countTokens()).toBe(before);
  });

  it('is refused if an earlier version kept it, which is the text of a response', async () => {
    const own = await vault.makeTenant();
    const key = randomUUID();
    await create(key, { type: 'token', data: 'x' }, own.keys.private);
    const { rows } = await vault.database.owner.query<{ key_hash: Buffer }>(
      'select key_hash from idempotency_results where tenant_id = $1',
      [own.id],
    );
    const hash = rows[0]?.key_hash ?? Buffer.alloc(0);
    const keys = await vault.server.core.keyring.forTenant(parseTenantId(own.id));
    const old = keys.seal(JSON.stringify({ status: 201, body: '{"data":"old"}' }), answerBinding(hash));
    await vault.database.owner.query('update idempotency_results set sealed = $2 where tenant_id = $1', [own.id, old]);
    expect(await create(key, { type: 'token', data: 'x' }, own.keys.private)).toMatchObject({
      status: 409,
      body: { type: '/docs/errors/idempotency-answer-not-kept' },
    });
  });
});
