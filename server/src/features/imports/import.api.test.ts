import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImportFolder, toLines } from '../../../test/harness/import-file.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
let vault: TestVault;
let tenant: TestTenant;
let folder: ImportFolder;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

const read = (id: string) => vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
const idsOf = (count: number) => Array.from({ length: count }, () => `import-${crypto.randomUUID()}`);
const countTokens = async (ofTenant = tenant) =>
  (
    await vault.database.owner.query<{ count: number }>('select count(*)::int from tokens where tenant_id = $1', [
      ofTenant.id,
    ])
  ).rows[0]?.count;

describe('an imported token', () => {
  it('is the one that a request would have made, but for its id, its maker and its time', async () => {
    const [id = ''] = idsOf(1);
    const body = {
      type: 'card',
      data: card,
      containers: ['/pci/high/imported/'],
      metadata: { customer: 'c-1' },
      search_indexes: ['{{ data.number }}'],
      mask: { number: '{{ data.number | reveal_last: 2 }}' },
      expires_at: '2099-01-01T00:00:00+02:00',
    };
    const made = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, body });
    expect(await folder.import(vault, tenant, { text: toLines({ id, ...body }) })).toMatchObject({
      imported: 1,
      rejected: 0,
      isFinished: true,
    });
    const { created_by, created_at, ...expected } = made.body as Record<string, unknown>;
    const { created_at: importedAt, ...imported } = (await read(id)).body as Record<string, unknown>;
    expect(imported).toEqual({ ...expected, id });
    expect([created_by, created_at, importedAt].every(Boolean)).toBe(true);
    expect((await vault.auditRecords(tenant.id)).filter((record) => record['entity_id'] === id)).toMatchObject([
      { operation: 'create', outcome: 'success', actor_type: 'system', entity_type: 'card', transform: null },
      { operation: 'read', transform: 'reveal' },
    ]);
    expect((await vault.auditRecords(tenant.id)).filter((record) => record['entity_type'] === 'import')).toMatchObject([
      { operation: 'run', outcome: 'intent', actor_type: 'system' },
      { operation: 'run', outcome: 'success', details: '{"imported":1,"rejected":0}' },
    ]);
    const found = await vault.request('POST', '/v2/tokens/search', {
      key: tenant.keys.reveal,
      body: { query: 'metadata.customer:c-1 AND data:4242424242424242' },
    });
    expect((found.body as { data: { id: string }[] }).data.map((token) => token.id)).toContain(id);
  });

  it('keeps the spelling of its data', async () => {
    const [id = ''] = idsOf(1);
    const data = String.raw`{ "n": 12345678901234567890, "e": 1.0, "u": "\u00e9" }`;
    await folder.import(vault, tenant, { text: `{"id":"${id}","type":"token","data":${data}}` });
    expect((await read(id)).text).toContain(`"data":${data}`);
  });

  it('gets an id where the file has none', async () => {
    const other = await vault.makeTenant();
    const text = toLines({ type: 'token', data: 'a' }, { type: 'token', data: 'a' });
    expect(await folder.import(vault, other, { text })).toMatchObject({ imported: 2 });
    expect(await countTokens(other)).toBe(2);
  });

  it('is counted', async () => {
    const other = await vault.makeTenant();
    await folder.import(vault, other, { text: toLines({ type: 'token', data: 'a' }, { type: 'token', data: 'b' }) });
    const { rows } = await vault.database.owner.query(
      'select sum(tokens)::int as tokens from token_counts where tenant_id = $1',
      [other.id],
    );
    expect(rows).toEqual([{ tokens: 2 }]);
  });

  it('is not merged with another, even where the tenant deduplicates', async () => {
    const other = await vault.makeTenant();
    const body = { name: 'Test', settings: { deduplicate_tokens: 'true' } };
    expect((await vault.request('PUT', '/tenants/self', { key: other.keys.management, body })).status).toBe(200);
    const [first, second] = idsOf(2);
    const text = toLines({ id: first, type: 'card', data: card }, { id: second, type: 'card', data: card });
    expect(await folder.import(vault, other, { text })).toMatchObject({ imported: 2 });
    const again = await vault.request('POST', '/tokens', {
      key: other.keys.reveal,
      body: { type: 'card', data: card },
    });
    expect(again.status).toBe(200);
  });
});

describe('what is rejected', () => {
  it('is listed with its line and a reason that repeats nothing, and the rest is imported', async () => {
    const [id = '', taken = ''] = idsOf(2);
    await folder.import(vault, tenant, { text: toLines({ id: taken, type: 'token', data: 'first' }) });
    const secret = '4242424242424241';
    const text = [
      JSON.stringify({ id, type: 'token', data: 'fine' }),
      `{"id":"${secret}`,
      JSON.stringify({ id: secret, type: 'card', data: { number: secret } }),
      '',
      JSON.stringify({ type: 'token', data: 'x', metadata: { [secret]: 7 } }),
      JSON.stringify({ type: 'card', data: { ...card, cvc: '123' } }),
      JSON.stringify({ id: taken, type: 'token', data: 'second' }),
      '[]',
      JSON.stringify({ type: 'token', data: 'x', deduplicate_token: true }),
      JSON.stringify({ type: 'token', data: 'x', mask: { [secret]: '{{ nothing' } }),
      JSON.stringify({ type: 'token', data: 'x', fingerprint_expression: secret }),
    ].join('\r\n');
    const { rejects, imported } = await folder.import(vault, tenant, { text });
    expect(imported).toBe(1);
    expect(rejects.map(({ line, code }) => [line, code])).toEqual([
      [2, 'malformed-json'],
      [3, 'validation-failed'],
      [5, 'validation-failed'],
      [6, 'validation-failed'],
      [7, 'token-id-taken'],
      [8, 'malformed-json'],
      [9, 'validation-failed'],
      [10, 'validation-failed'],
      [11, 'validation-failed'],
    ]);
    expect(rejects[4]).toMatchObject({ id: taken });
    expect(JSON.stringify(rejects)).not.toContain(secret);
    expect(rejects[2]).toMatchObject({ offset: text.indexOf(`{"type":"token","data":"x","metadata"`) });
  });

  it('hides no token behind what only looks like the first line of an export', async () => {
    const tenant = await vault.makeTenant();
    const hidden = { strongroom_export: {}, type: 'token', data: 'hidden' };
    const first = await folder.import(vault, tenant, { text: toLines(hidden, { strongroom_export: {} }) });
    expect(first).toMatchObject({ imported: 1, rejected: 1, rejects: [{ line: 2 }] });
    const second = await folder.import(vault, tenant, { text: toLines({ strongroom_export: {} }, hidden) });
    expect(second).toMatchObject({ imported: 1, rejected: 0 });
  });

  it('includes the second of two equal ids', async () => {
    const [id] = idsOf(1);
    const text = toLines({ id, type: 'token', data: 'first' }, { id, type: 'token', data: 'second' });
    expect((await folder.import(vault, tenant, { text })).rejects).toMatchObject([{ line: 2, id }]);
    expect((await read(id ?? '')).body).toMatchObject({ data: 'first' });
  });

  it('includes a line that is too long, and nothing after it', async () => {
    const [before, after] = idsOf(2);
    const long = `{"type":"token","data":"${'x'.repeat(5 * 1024 * 1024)}"}\n`;
    const text = `${toLines({ id: before, type: 'token', data: 1 })}${long}${toLines({ id: after, type: 'token', data: 2 })}`;
    const { rejects, imported } = await folder.import(vault, tenant, { text });
    expect({ imported, rejects }).toMatchObject({ imported: 2, rejects: [{ line: 2, code: 'body-too-large' }] });
    expect((await read(after ?? '')).status).toBe(200);
  });

  it('includes a row that only the database refuses, found among a thousand others', async () => {
    const other = await vault.makeTenant();
    await vault.database.owner.query(
      `alter table tokens add constraint no_such_type check (type <> 'employer_id_number')`,
    );
    try {
      const rows = Array.from({ length: 100 }, (_, index) =>
        index === 57 ? { type: 'employer_id_number', data: '12-3456789' } : { type: 'token', data: index },
      );
      const { rejects, imported } = await folder.import(vault, other, { text: toLines(...rows) });
      expect({ imported, rejects }).toMatchObject({
        imported: 99,
        rejects: [{ line: 58, code: 'refused-by-database' }],
      });
      expect(await countTokens(other)).toBe(99);
    } finally {
      await vault.database.owner.query('alter table tokens drop constraint no_such_type');
    }
  });

  it('has no verification code left in it when codes are dropped', async () => {
    const [id = ''] = idsOf(1);
    const text = toLines({ id, type: 'card', data: { ...card, cvc: '123' } });
    expect(await folder.import(vault, tenant, { text, dropsCvc: true })).toMatchObject({
      imported: 1,
      codesDropped: 1,
    });
    expect((await read(id)).body).toMatchObject({ data: card });
    expect((await read(id)).text).not.toContain('cvc');
  });
});

describe('a dry run', () => {
  it('says what would happen and writes nothing', async () => {
    const [taken, free] = idsOf(2);
    await folder.import(vault, tenant, { text: toLines({ id: taken, type: 'token', data: 1 }) });
    const before = await countTokens();
    const tokens = [
      { id: taken, type: 'token', data: 2 },
      { id: free, type: 'token', data: 2 },
      { id: free, type: 'token', data: 3 },
      { type: 'no such type', data: 2 },
    ];
    const text = toLines(...tokens);
    expect(await folder.import(vault, tenant, { text, isDryRun: true })).toMatchObject({
      imported: 1,
      rejected: 3,
      rejects: [{ line: 1, id: taken }, { line: 3, id: free }, { line: 4 }],
    });
    expect(await countTokens()).toBe(before);
    expect(await folder.import(vault, tenant, { text })).toMatchObject({ imported: 1, rejected: 3 });
  });
});
