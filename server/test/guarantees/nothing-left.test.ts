import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenTypeNames } from '../../src/core/token-types/token-type-catalog.ts';
import { sweepTokensJobs } from '../../src/features/tokens/index.ts';
import { type Canary, CanaryScanner } from '../harness/canary-scanner.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import type { TestResponse } from '../harness/test-vault.ts';

/**
 * After every token of a tenant is gone, no row of any table contains anything derived from a value: no plaintext, no
 * ciphertext, no fingerprint, no index term.
 *
 * An alias that an application requests as an id may contain some digits of the value. It stays in the audit
 * log because it is the id.
 */
let proxied: ProxyVault;
/** Everything derived from a value, collected while the tokens existed. */
const derived: Canary[] = [];
let before: Readonly<Record<string, number>>;
let typesBefore: readonly string[];
beforeAll(async () => {
  proxied = await ProxyVault.start();
  await useTheVault();
  await remember();
  before = await countRows();
  typesBefore = await listTypes();
  await removeEverything();
});
afterAll(() => proxied.stop());

/**
 * Tables that may still have rows of the tenant, and why they contain neither a value nor anything derived from one.
 */
const allowed: Readonly<Record<string, string>> = {
  'public.tenants': 'the tenant itself',
  'public.tenant_keys': 'wrapped keys',
  'public.members': 'people',
  'public.applications': 'rights',
  'public.application_keys': 'hashes of API keys',
  'public.sessions': 'hashes of session keys',
  'public.token_counts': 'how many tokens there were, by type and containers',
  'public.token_totals': 'how many tokens there were, by type',
  'public.token_sets': 'which containers there were together',
  'public.token_set_totals': 'how many of those there were',
  'public.retention_rules': 'how long tokens are kept, by container and type',
  'public.legal_holds': 'why tokens are kept, with the pair of metadata that a manager named',
  'public.erasures': 'which tokens were erased, with digests of metadata',
  'public.erasure_batches': 'which transactions removed them',
  'public.retention_sweeps': 'when rules were last applied',
  'public.proxy_calls': 'calls that are under way, by id and host',
  'public.audit_records': 'who did what to which id',
  'public.audit_streams': 'how the streams of the log are doing',
  'public.audit_stream_positions': 'how far streams of the log have come',
  'public.stored_proxies': 'proxies, with their secrets sealed',
  'public.webhooks': 'endpoints, with their secrets sealed',
  'public.webhook_positions': 'how far endpoints have come',
  'public.webhook_deliveries': 'which events were sent, by id',
  'public.idempotency_results': 'what requests did, by id and version, sealed, for a day at most',
};

describe('after the last token of a tenant is gone', () => {
  it('no row of any table holds what was made of a value', async () => {
    const scanner = new CanaryScanner(derived);
    const found = (await readTables()).flatMap(({ table, text }) =>
      scanner.scan(Buffer.from(text)).map((sighting) => `${table}: ${sighting}`),
    );
    expect(found).toStrictEqual([]);
  });

  it('only tables that are known to hold none have rows of the tenant', async () => {
    const rows = await countRows();
    const left = Object.keys(rows).filter((table) => rows[table] !== 0);
    expect(left.map(withoutPartition).filter((table) => allowed[table] === undefined)).toStrictEqual([]);
  });

  it('counters say zero, and nothing waits to be removed', async () => {
    const { rows } = await proxied.vault.database.owner.query(
      `select coalesce(sum(tokens), 0)::int as tokens from token_counts where tenant_id = $1`,
      [proxied.tenant.id],
    );
    expect(rows).toStrictEqual([{ tokens: 0 }]);
    const after = await countRows();
    for (const table of ['tokens', 'token_terms', 'token_cvcs', 'token_fingerprints'])
      expect([table, after[`public.${table}`]]).toStrictEqual([table, 0]);
  });

  it('outcomes are kept for a repetition under seal, and for a day at most', async () => {
    const { rows } = await proxied.vault.database.owner.query(
      `select expires_at <= now() + interval '24 hours' as is_bounded, octet_length(key_hash) as hash from idempotency_results where tenant_id = $1`,
      [proxied.tenant.id],
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toStrictEqual({ is_bounded: true, hash: 16 });
  });

  it('is found by a look at the same tables while the tokens were there', () => {
    expect(before).toMatchObject({ 'public.tokens': expect.any(Number), 'public.token_terms': expect.any(Number) });
    expect(before['public.tokens']).toBeGreaterThan(15);
    expect(typesBefore, 'Create a token of each type in `useTheVault`.').toStrictEqual(tokenTypeNames.toSorted());
    expect(before['public.token_terms']).toBeGreaterThan(5);
    expect(before['public.token_cvcs']).toBeGreaterThan(1);
    const kinds = new Set(derived.map(({ name }) => name.split(' ')[0]));
    expect(kinds).toStrictEqual(new Set(['value', 'data', 'fingerprint', 'term', 'code']));
  });
});

/** A body, and headers in addition to the usual ones. */
type Extras = readonly [body?: unknown, headers?: Readonly<Record<string, string>>];
async function call(key: string, method: string, path: string, ...[body, headers = {}]: Extras) {
  const answer: TestResponse = await proxied.vault.request(method, path, {
    key,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer;
}

/** Returns a random value to search for afterwards. */
function secret(): string {
  const value = randomBytes(24).toString('hex');
  derived.push({ name: `value ${derived.length}`, bytes: Buffer.from(value) });
  return value;
}

function cardNumber(): string {
  const number = makeCardNumber(19);
  derived.push({ name: `value ${derived.length}`, bytes: Buffer.from(number) });
  return number;
}

async function useTheVault(): Promise<void> {
  const { keys } = proxied.tenant;
  const post = (path: string, body: unknown, key = keys.reveal, headers: Record<string, string> = {}) =>
    call(key, 'POST', path, body, headers);
  const make = async (body: object, key = keys.reveal) =>
    ((await post('/tokens', { type: 'token', ...body }, key)).body as { id: string }).id;
  const patch = (id: string, body: object) =>
    call(keys.reveal, 'PATCH', `/tokens/${id}`, body, { 'content-type': 'application/merge-patch+json' });
  const repeated = () => ({ 'bt-idempotency-key': crypto.randomUUID() });

  // These are tokens of every type, with everything derived from their data by default.
  await make({ type: 'card', data: { number: cardNumber(), expiration_month: 7, expiration_year: 2050, cvc: '123' } });
  await make({ type: 'card_number', data: cardNumber() });
  await make({ type: 'bank', data: { routing_number: '021000021', account_number: '12345678901234567' } });
  await make({ type: 'us_bank_account_number', data: '0012345678' });
  await make({ type: 'us_bank_routing_number', data: '021000021' });
  await make({ type: 'social_security_number', data: '123-45-6789' });
  await make({ type: 'employer_id_number', data: '12-3456789' });
  const known = secret();
  const id = await make({
    data: known,
    search_indexes: ['{{ data }}', '{{ data | last4 }}'],
    metadata: { order: secret() },
  });
  await make({
    data: { key: secret() },
    fingerprint_expression: '{{ data.key }}',
    mask: '{{ data.key | reveal_last: 4 }}',
  });
  await make({ id: '{{ data | alias_preserve_length }}', data: secret() });

  // These requests store values through every possible operation.
  const shared = secret();
  const again = { type: 'token', data: shared, deduplicate_token: true };
  await Promise.all(Array.from({ length: 5 }, () => post('/tokens', again)));
  await post('/tokenize', { leaf: secret(), token: again, two: [again, { type: 'token', data: secret() }] });
  const headers = repeated();
  for (let turn = 0; turn < 2; turn += 1) await post('/tokens', { type: 'token', data: shared }, keys.reveal, headers);
  await post('/tokenize', [secret(), again], keys.private, repeated());
  await post('/tokens', { ...again, data: secret() }, keys.public);
  const session = (await post('/sessions', undefined, keys.public)).body as { session_key: string; nonce: string };
  await post('/sessions/authorize', { nonce: session.nonce, permissions: ['token:create', 'token:read'] });
  await post('/tokens', { ...again, data: secret() }, session.session_key, repeated());

  // These updates replace one value with another.
  const changed = await make({ data: secret(), search_indexes: ['{{ data }}'], deduplicate_token: true });
  await remember();
  await patch(changed, { data: secret(), metadata: { note: secret() } });
  await patch(changed, { fingerprint_expression: 'x-{{ data }}', search_indexes: ['y-{{ data }}'] });
  const coded = await make({ type: 'card', data: { number: cardNumber(), cvc: '123' } });
  await remember();
  await patch(coded, { data: { cvc: '456' } });
  await call(keys.management, 'PUT', '/tenants/self', {
    name: 'Updating',
    settings: { token_deduplication_behavior: 'update_existing' },
  });
  await post('/tokens', { ...again, metadata: { order: secret() } });

  // These requests read values through every possible operation.
  await call(keys.reveal, 'GET', `/tokens/${id}`);
  await post('/tokens/search', { query: `data:${known}` });
  await post('/detokenize', { value: `{{ ${id} }}`, whole: `{{ token: ${id} }}` });
  await proxied.call({ key: keys.reveal, body: `{{ ${id} }}`, headers: { 'content-type': 'text/plain' } });
}

/** Collects everything derived from values from the tables that contain it. */
async function remember(): Promise<void> {
  const { owner } = proxied.vault.database;
  const { rows } = await owner.query<{ name: string; bytes: Buffer }>(
    `select 'data' as name, data as bytes from tokens where tenant_id = $1
      union all select 'fingerprint', convert_to(fingerprint, 'UTF8') from tokens where tenant_id = $1 and fingerprint is not null
      union all select 'fingerprint', convert_to(fingerprint, 'UTF8') from token_fingerprints where tenant_id = $1
      union all select 'term', term from token_terms where tenant_id = $1
      union all select 'code', sealed from token_cvcs where tenant_id = $1`,
    [proxied.tenant.id],
  );
  derived.push(...rows.map(({ name, bytes }, index) => ({ name: `${name} ${index}`, bytes })));
}

/** Removes all tokens, most by deletion and some by expiry. */
async function removeEverything(): Promise<void> {
  const { vault, tenant } = proxied;
  const { rows } = await vault.database.owner.query<{ id: string }>(
    'select id from tokens where tenant_id = $1 order by id',
    [tenant.id],
  );
  const expiring = rows.filter((_, index) => index % 4 === 0).map(({ id }) => id);
  await vault.database.owner.query(
    'update tokens set expires_at = now(), expires_at_offset_minutes = 0 where tenant_id = $1 and id = any($2)',
    [tenant.id, expiring],
  );
  for (const { id } of rows.filter(({ id }) => !expiring.includes(id)))
    await call(tenant.keys.reveal, 'DELETE', `/tokens/${encodeURIComponent(id)}`);
  // The sweep of claims is not run, because it would hide an orphaned claim.
  const sweep = sweepTokensJobs(vault.server.core.database).find(({ name }) => name === 'sweep-tokens');
  await sweep?.run({});
}

/** Lists the types of the tokens of the tenant. */
async function listTypes(): Promise<string[]> {
  const { rows } = await proxied.vault.database.owner.query<{ type: string }>(
    'select distinct type from tokens where tenant_id = $1',
    [proxied.tenant.id],
  );
  return rows.map(({ type }) => type).toSorted();
}

/** Lists every table, including partitions and those of the job queue. */
async function listTables(): Promise<{ name: string; hasTenant: boolean }[]> {
  const { rows } = await proxied.vault.database.owner.query<{ name: string; hasTenant: boolean }>(
    `select format('%I.%I', n.nspname, c.relname) as name,
        exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as "hasTenant"
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
      order by 1`,
  );
  return rows;
}

async function readTables(): Promise<{ table: string; text: string }[]> {
  const { owner } = proxied.vault.database;
  const tables = await listTables();
  return Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await owner.query<{ text: string }>(`select to_jsonb(t)::text as text from ${name} as t`);
      return { table: name, text: rows.map(({ text }) => text).join('\n') };
    }),
  );
}

async function countRows(): Promise<Record<string, number>> {
  const { owner } = proxied.vault.database;
  const counts = (await listTables())
    .filter(({ hasTenant }) => hasTenant)
    .map(async ({ name }) => {
      const { rows } = await owner.query<{ count: number }>(
        `select count(*)::int as count from ${name} where tenant_id = $1`,
        [proxied.tenant.id],
      );
      return [name, rows[0]?.count ?? 0] as const;
    });
  return Object.fromEntries(await Promise.all(counts));
}

/** Removes the partition suffix. The audit log is partitioned by month: `audit_records_2026_11`. */
function withoutPartition(table: string): string {
  return table.replace(/_\d{4}_?\d{2}$|_default$/, '');
}
