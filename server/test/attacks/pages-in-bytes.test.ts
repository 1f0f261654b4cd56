import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SentStatement, StatementTap } from '../harness/statement-tap.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { followPages, idsOf, pageOf } from '../harness/token-answers.ts';
import { untilServed } from '../harness/until-served.ts';

/**
 * Tokens of nearly 4 MiB, created with a public key. Four are twice as much as one page may hold. The long form, `npm
 * run test:pages`, uses as many as would fill 64 MiB.
 */
const count = Number(process.env['PAGES_TOKENS'] ?? 4);
const mebibyte = 1024 * 1024;
const bulk = 'x'.repeat(4 * mebibyte - 1_000);
const idAt = (index: number) => `big-${String(index).padStart(2, '0')}`;
/**
 * The maximum number of bytes that a statement may return: a page and the token that exceeds it, with each byte encoded
 * as two digits.
 */
const answerBytesMax = 2 * 13 * mebibyte;
const quickBytesMax = 2 * 64 * 1024;

let vault: TestVault;
let tap: StatementTap;
let tenant: TestTenant;
let limitedKey: string;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const rule = { description: '', priority: 1, container: '/general/', transform: 'reveal' };
  limitedKey = (
    await createApplication(vault, tenant, {
      permissions: [],
      rules: [{ ...rule, permissions: ['token:read', 'token:search'] }],
    })
  ).key;
  for (let index = 0; index < count; index += 1) {
    const body = { id: idAt(index), type: 'token', data: bulk, metadata: { kind: 'big' }, mask: 'hidden' };
    expect((await vault.request('POST', '/tokens', { key: tenant.keys.public, body })).status).toBe(201);
  }
  await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { id: 'small', type: 'token', data: 'v' } });
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});

const newestFirst = ['small', ...Array.from({ length: count }, (_, index) => idAt(count - 1 - index))];

type More = Readonly<Record<string, string | number | undefined>>;
type Ask = (more: More, key: string) => Promise<TestResponse>;

const get =
  (path: string): Ask =>
  (more, key) =>
    untilServed(() => vault.request('GET', `${path}&${new URLSearchParams(toTexts(more)).toString()}`, { key }));
const search =
  (path: string, query: string): Ask =>
  (more, key) =>
    untilServed(() => vault.request('POST', path, { key, body: { query, ...more } }));

function toTexts(more: More): Record<string, string> {
  return Object.fromEntries(
    Object.entries(more).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

const numbered: [string, Ask][] = [
  ['GET /tokens', get('/tokens?')],
  ['GET /tokens?type=', get('/tokens?type=token')],
  ['GET /tokens?container=', get('/tokens?container=/general/*')],
  ['GET /tokens?metadata=', get('/tokens?metadata.kind=big')],
  ['GET /tokens?id=', get(`/tokens?${newestFirst.map((id) => `id=${id}`).join('&')}`)],
  ['POST /tokens/search', search('/tokens/search', '')],
  ['POST /tokens/search by term', search('/tokens/search', 'metadata.kind:big')],
  ['POST /tokens/search by range', search('/tokens/search', 'created_at:[2020-01-01 TO *]')],
];
const byCursor: [string, Ask][] = [
  ['GET /v2/tokens', get('/v2/tokens?')],
  ['GET /v2/tokens?type=', get('/v2/tokens?type=token')],
  ['GET /v2/tokens?container=', get('/v2/tokens?container=/general/')],
  ['POST /v2/tokens/search', search('/v2/tokens/search', '')],
  ['POST /v2/tokens/search by condition', search('/v2/tokens/search', 'NOT id:none')],
];

describe('a numbered page of large tokens', () => {
  it.each(numbered)('%s is refused with the way out, instead of reading it', async (_name, ask) => {
    for (const key of [tenant.keys.private, limitedKey]) {
      const answer = await ask({ size: 20 }, key);
      expect(answer).toMatchObject({ status: 400, body: { type: expect.stringMatching(/page-too-large$/) } });
      expect(answer.text).toMatch(/smaller size.*\/v2/);
    }
  });

  it('records no read of what it does not show', async () => {
    const before = (await vault.auditRecords(tenant.id)).length;
    await vault.request('GET', '/tokens?size=100', { key: tenant.keys.reveal });
    expect((await vault.auditRecords(tenant.id)).slice(before)).toMatchObject([
      { entity_id: '*', outcome: 'failed', transform: null },
    ]);
  });

  it.each([1, 2])('works with %i on it', async (size) => {
    const answer = pageOf(await get('/tokens?page=2')({ size }, tenant.keys.reveal));
    expect(idsOf(answer)).toEqual(newestFirst.slice(size, 2 * size));
    expect(answer.pagination.total_items).toBe(count + 1);
    for (const { data } of answer.data) expect(data).toBe(bulk);
  });

  it('has an error page', async () => {
    const page = await vault.request('GET', '/docs/errors/page-too-large');
    expect(page.status).toBe(200);
  });
});

describe('a page of large tokens after a cursor', () => {
  it.each(byCursor)('%s ends early and goes on where it ended', async (_name, ask) => {
    for (const key of [tenant.keys.private, limitedKey]) {
      const pages = await followPages(async (start) => pageOf(await ask({ size: 100, start }, key)), count);
      expect(pages.flatMap(idsOf)).toEqual(newestFirst);
      expect(pages.length).toBeGreaterThan(count / 4);
      for (const page of pages) expect(page.data.length).toBeLessThanOrEqual(4);
    }
  });

  it('never reads more than its bound, nor the token that only tells whether there is another page', async () => {
    const ask = () => vault.request('GET', '/v2/tokens?size=100', { key: tenant.keys.reveal });
    let tries = 0;
    const sent = await tap.during(async () => {
      pageOf(
        await untilServed(() => {
          tries += 1;
          return ask();
        }),
      );
    }, 't.data');
    expect(sent.length).toBeLessThanOrEqual(2 * tries);
    // The fast statement reads several pages together, so it reads little of each.
    const quick = await bytesOf(sent[0]);
    expect(quick).toBeLessThanOrEqual(quickBytesMax);
    const whole = await bytesOf(sent.at(-1));
    expect(whole).toBeGreaterThan(quickBytesMax);
    expect(whole).toBeLessThan(answerBytesMax);
  });
});

async function bytesOf(statement: SentStatement | undefined): Promise<number> {
  const { rows } = await asTenant(statement?.text ?? '', statement?.values ?? []);
  return rows.reduce((sum, { data }) => sum + (Buffer.isBuffer(data) ? 2 * data.length : 0), 0);
}

async function asTenant(text: string, values: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
  const client = await vault.database.owner.connect();
  try {
    await client.query(`begin; select set_config('app.tenant_id', '${tenant.id}', true)`);
    return await client.query(text, [...values]);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('references to large tokens', () => {
  const references = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`k${index}`, `{{ ${idAt(index)} }}`]),
  );

  it('are refused together by a detokenization', async () => {
    const answer = await vault.request('POST', '/detokenize', { key: tenant.keys.reveal, body: references });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('8 MiB');
  });

  it('are refused together by the proxy, before anything is called', async () => {
    const headers = { 'bt-proxy-url': 'https://example.com/' };
    const answer = await vault.request('POST', '/proxy', { key: tenant.keys.reveal, body: references, headers });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('8 MiB');
  });

  it('are refused together as the parts of one text', async () => {
    const text = Array.from({ length: count }, (_, index) => `{{ ${idAt(index)} | last4 }}`).join(' ');
    const answer = await vault.request('POST', '/detokenize', { key: tenant.keys.reveal, body: { text } });
    expect(answer.status).toBe(400);
  });

  it('work one at a time', async () => {
    const answer = await vault.request('POST', '/detokenize', {
      key: tenant.keys.reveal,
      body: { a: `{{ ${idAt(0)} }}`, b: '{{ small }}' },
    });
    expect(answer).toMatchObject({ status: 200, body: { a: bulk, b: 'v' } });
  });
});

describe('many large tokens at once', () => {
  it('are read in several statements by gets that arrive together', async () => {
    const paths = newestFirst.map((id) => `/tokens/${id}`);
    const sent = await tap.during(async () => {
      const answers = await Promise.all(paths.map((path) => vault.request('GET', path, { key: tenant.keys.private })));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    }, 'array_position(');
    // Some requests may get a statement of their own, but requests that arrive together cannot fit into a single
    // statement.
    expect(sent.length).toBeGreaterThan(count / 4);
  });

  it('are written in several statements by creates that arrive together', async () => {
    const other = await vault.makeTenant();
    const sent = await tap.during(async () => {
      // These requests take up as many bytes as one client may have in flight.
      const answers = await Promise.all(
        Array.from({ length: 3 }, () =>
          vault.request('POST', '/tokens', { key: other.keys.public, body: { type: 'token', data: bulk } }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    }, 'insert into tokens');
    for (const { values } of sent) expect(String(values?.[1]).length).toBeLessThan(answerBytesMax);
  });

  it('are not all read to find duplicates of small values', async () => {
    const other = await vault.makeTenant();
    const fingerprint_expression = '{{ data.key }}';
    const keys = [1, 2, 3, 4];
    for (const key of keys) {
      const body = { type: 'token', data: { key: String(key), bulk }, fingerprint_expression };
      expect((await vault.request('POST', '/tokens', { key: other.keys.private, body })).status).toBe(201);
    }
    const body = keys.map((key) => ({
      type: 'token',
      data: { key: String(key) },
      fingerprint_expression,
      deduplicate_token: true,
    }));
    const answer = await vault.request('POST', '/tokenize', { key: other.keys.private, body });
    expect({ status: answer.status, says: answer.text.includes('8 MiB') }).toEqual({ status: 400, says: true });
    expect((await vault.request('POST', '/tokenize', { key: other.keys.private, body: body.slice(0, 1) })).status).toBe(
      200,
    );
  });
});
