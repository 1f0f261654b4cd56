import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

interface Place {
  readonly tenant_id: string;
  readonly id: string;
}

/** A row of `tokens`, as somebody with the rights of the database owner can rewrite it. */
interface Row extends Place {
  readonly type: string;
  readonly version: number;
  readonly data: Buffer;
}

const secrets = { first: 'first secret', second: 'second secret', foreign: 'foreign secret' };
let vault: TestVault;
let tenant: TestTenant;
let other: TestTenant;
let first: Row;
let second: Row;
let foreign: Row;

beforeAll(async () => {
  vault = await TestVault.start();
  [tenant, other] = [await vault.makeTenant(), await vault.makeTenant()];
});
afterAll(() => vault.stop());
beforeEach(async () => {
  first = await store(tenant, secrets.first);
  second = await store(tenant, secrets.second);
  foreign = await store(other, secrets.foreign);
});

describe('a ciphertext opens only where it was sealed', () => {
  it('not in another row of its tenant', () => refuses(second, { data: first.data }));

  it('not in a row of another tenant', () => refuses(foreign, { data: first.data }));

  it('not in a row of another tenant with the same id', async () => {
    const twin = await store(other, secrets.foreign, first.id);
    await refuses(twin, { data: first.data });
  });

  it('not under a later version of its row', () => refuses(first, { version: first.version + 1 }));

  it('not under another type', () => refuses(first, { type: 'card_number' }));

  it('not under another id', () => refuses(first, { id: crypto.randomUUID() }));

  it('not when its whole row is handed to another tenant', () => refuses(first, { tenant_id: other.id }));

  it.each([
    ['one bit flipped at its end', (data: Buffer) => flip(data, data.length - 1)],
    ['one bit flipped in its salt', (data: Buffer) => flip(data, 6)],
    ['its last byte cut off', (data: Buffer) => data.subarray(0, -1)],
    ['an unknown key version', (data: Buffer) => flip(data, 5)],
    ['an unknown format', (data: Buffer) => flip(data, 0)],
    ['nothing left of it', () => Buffer.alloc(0)],
  ])('not with %s', (_name, damage) => refuses(first, { data: damage(first.data) }));
});

describe('a card verification code opens only where it was sealed', () => {
  it.each([
    ['another card of its tenant', () => tenant],
    ['a card of another tenant', () => other],
  ])('not in %s', async (_name, ownerOf) => {
    const [from, to] = [await storeCard(tenant, '873'), await storeCard(ownerOf(), '519')];
    await vault.database.owner.query(
      `update token_cvcs set sealed = source.sealed from token_cvcs source
        where source.token_id = $1 and token_cvcs.token_id = $2`,
      [from, to],
    );
    await expectNothingRevealed({ tenant_id: ownerOf().id, id: to }, ['4242424242424242', '"cvc"']);
  });
});

/** Rewrites a row, checks that nobody can read it, then restores and reads it. */
async function refuses(row: Row, change: Partial<Row>): Promise<void> {
  const changed = { ...row, ...change };
  await replace(row, changed);
  await expectNothingRevealed(changed, Object.values(secrets));
  await replace(changed, row);
  expect(await read(row)).toMatchObject({ status: 200, body: { data: expect.stringMatching(/ secret$/) } });
}

/**
 * Checks that the caller gets a problem without a value, and that the log names the trace id of
 * the request and the reason.
 */
async function expectNothingRevealed(place: Place, values: readonly string[]): Promise<void> {
  const trace = `trace-${crypto.randomUUID()}`;
  const answer = await read(place, trace);
  expect(answer).toMatchObject({
    status: 500,
    body: { type: '/docs/errors/internal-error', status: 500, instance: '/tokens/{id}' },
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const line = vault.logLines.find((text) => text.includes(trace) && text.includes('request failed')) ?? '';
  expect(line).toContain('SealedRecordError');
  for (const value of values) expect(answer.text + line.replace(trace, '')).not.toContain(value);
}

async function store(owner: TestTenant, data: string, id: string = crypto.randomUUID()): Promise<Row> {
  const body = { id, type: 'token', data };
  const { status } = await vault.request('POST', '/tokens', { key: owner.keys.reveal, body });
  expect(status).toBe(201);
  const { rows } = await vault.database.owner.query<Row>(
    'select tenant_id, id, type, version, data from tokens where tenant_id = $1 and id = $2',
    [owner.id, id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A token that was stored has no row.');
  return row;
}

async function storeCard(owner: TestTenant, cvc: string): Promise<string> {
  const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2050, cvc };
  const answer = await vault.request('POST', '/tokens', { key: owner.keys.reveal, body: { type: 'card', data } });
  expect(answer.status).toBe(201);
  return (answer.body as { id: string }).id;
}

async function replace(before: Row, after: Row): Promise<void> {
  const { rowCount } = await vault.database.owner.query(
    'update tokens set tenant_id = $3, id = $4, type = $5, version = $6, data = $7 where tenant_id = $1 and id = $2',
    [before.tenant_id, before.id, after.tenant_id, after.id, after.type, after.version, after.data],
  );
  expect(rowCount).toBe(1);
}

function read(place: Place, trace = 'trace') {
  const { keys } = place.tenant_id === tenant.id ? tenant : other;
  return vault.request('GET', `/tokens/${place.id}`, { key: keys.reveal, headers: { 'bt-trace-id': trace } });
}

function flip(data: Buffer, position: number): Buffer {
  const damaged = Buffer.from(data);
  damaged[position] = (damaged[position] ?? 0) ^ 1;
  return damaged;
}
