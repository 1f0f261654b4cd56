import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeptValues } from './kept-values.ts';
import { callProxy } from './proxy-call.ts';
import { resolvePayload } from './resolve-payload.ts';
import { requireHarmless, requireHarmlessMask } from './token-request.ts';
import { holdsSecret, toShownToken, toShownTokens } from './token-response.ts';
import { callVault } from './vault-api.ts';
import type { FieldValue } from '../../protocol/messages.ts';

const number = '4242424242424242';
const reference = { $element: '1' };
const fields: Readonly<Record<string, FieldValue>> = {
  '1': { kind: 'text', text: number },
  '2': { kind: 'date', month: '12', year: '30' },
  '3': { kind: 'text', text: '123' },
  '4': { kind: 'card', number, month: '01', year: '31', code: '' },
};
const ask = async (element: string) => {
  const value = fields[element];
  if (value === undefined) throw new Error('not mounted');
  return { value, errors: element === '3' ? [{ targetId: 'code', type: 'incomplete' as const }] : [] };
};

describe('a payload', () => {
  it('gets the values of its references, in their places', async () => {
    const payload = {
      type: 'card',
      data: {
        number: reference,
        expiration_month: { $element: '2', part: 'month' },
        expiration_year: { $element: '2', part: 'year' },
        note: ['plain', { $element: '2' }, { $element: '2', part: 'format', format: 'MM-YYYY' }],
        whole: { $element: '4' },
      },
    };
    expect((await resolvePayload(payload, ask)).payload).toEqual({
      type: 'card',
      data: {
        number,
        expiration_month: 12,
        expiration_year: 2030,
        note: ['plain', '12/30', '12-2030'],
        whole: { number, expiration_month: 1, expiration_year: 2031 },
      },
    });
  });

  it('tells what is wrong in the place of each reference', async () => {
    const { details, errors } = await resolvePayload({ data: { number: reference, cvc: { $element: '3' } } }, ask);
    expect(details).toEqual({ data: { cvc: { type: 'incomplete' } } });
    expect(errors).toEqual([{ targetId: 'code', type: 'incomplete' }]);
  });

  it.each(['42424242424MMYY', 'MMYY1', 'MM/YY x', 'YYYYYY', 'MMMM'])(
    'writes a date with nothing of the page around it: %s is refused',
    async (format) => {
      const data = { $element: '2', part: 'format', format };
      await expect(resolvePayload({ data }, ask)).rejects.toThrow('A date format in elements');
    },
  );

  it('has a depth and a size', async () => {
    const deep = Array.from({ length: 40 }).reduce<unknown>((value) => [value], 'x');
    await expect(resolvePayload(deep, ask)).rejects.toThrow('too deep or too large');
    await expect(resolvePayload(Array<string>(20_000).fill('x'), ask)).rejects.toThrow('too deep or too large');
  });
});

describe('the path of a proxied request', () => {
  const proxied: string[] = [];
  beforeEach(() => {
    proxied.length = 0;
    vi.stubGlobal('fetch', async (path: string) => {
      proxied.push(new URL(path, 'https://elements.example.com').pathname);
      return Response.json({});
    });
  });
  afterEach(() => vi.unstubAllGlobals());
  const call = (path: string) =>
    callProxy({ service: 'proxy.get', payload: undefined, proxy: { path } }, { key: 'key', headers: {} });

  it.each([
    '/charges',
    'charges/ch_1',
    '/a/...',
    '/a/.b',
    '/%2e%2e/tokens',
    '/%2E%2E%2Ftokens',
    '/..;/tokens',
    '/a\\..\\b',
    '/a?/../b',
  ])('stays below the proxy: %s', async (path) => {
    await call(path).catch(() => undefined);
    for (const reached of proxied) expect(reached).toMatch(/^\/api\/proxy(\/|$)/);
  });

  it.each(['/../tokens', '..', '/charges/../../tokens', '/./x', '//..//tokens'])('is refused: %s', async (path) => {
    await expect(call(path)).rejects.toThrow('must not contain the segments');
    expect(proxied).toEqual([]);
  });

  it.each(['.', '..'])('is no way to the list of tokens: the id %s is refused', async (id) => {
    await expect(callVault({ method: 'GET', path: `/tokens/${encodeURIComponent(id)}`, key: 'key' })).rejects.toThrow(
      'must not contain the segments',
    );
    expect(proxied).toEqual([]);
  });
});

describe('a token that would show what was typed', () => {
  it.each([
    [{ id: reference }, 'inside data'],
    [{ metadata: { note: reference } }, 'inside data'],
    [{ mask: { number: [reference] } }, 'inside data'],
    [{ id: '{{ data.number }}' }, 'expression'],
    [{ deduplicate_token: true }, 'deduplicateToken'],
    [{ search_indexes: ['{{ data.number }}', "{{ data.number | slice: 8, 1 | remove: '4' }}"] }, 'whole members'],
    [{ search_indexes: ['{{ data.number }}{{ data.number }}'] }, 'whole members'],
    [{ search_indexes: '{{ data.number }}' }, 'whole members'],
    [{ search_indexes: { 0: '{{ data.number | last4 }}' } }, 'whole members'],
    [{ fingerprint_expression: '{{ data.number | last4 }}' }, 'whole members'],
    [{ searchIndexes: [] }, 'not available'],
    [{ encrypted: 'x' }, 'not available'],
  ])('is refused: %j', (token, reason) => {
    expect(() => requireHarmless({ type: 'card', data: reference, ...token })).toThrow(reason);
  });

  it.each([
    { search_indexes: ['{{ data }}', '{{data.number}}'] },
    { search_indexes: null },
    { fingerprint_expression: '{{ data.number }}-{{ data.name }}' },
    { id: 'an-id', containers: ['/a/'], metadata: { a: 'b' }, privacy: {}, expires_at: '2090-01-01' },
  ])('is not one with %j', (token) => {
    expect(() => requireHarmless({ type: 'card', data: reference, ...token })).not.toThrow();
  });

  it.each([
    '{{ data }}',
    '{{ data.number }}',
    '{{ data.number | reveal_last: 5 }}',
    '{{ data.number | reveal_last: 16 }}',
    '{{ data.number | slice: 0, 4 }}',
    'x{{ data.number | reveal_last: 4 }}',
    '{{ data.number | reveal_last: 4 }}{{ data.number }}',
    '{{ data.cvc | reveal_last: 3 }}',
    '{{ data.missing | reveal_last: 4 }}',
    '{% if data %}{% endif %}',
  ])('by its mask is refused: %s', (mask) => {
    const data = { number, cvc: '123' };
    expect(() => requireHarmlessMask({ data, mask: { shown: mask } })).toThrow('reveal_last');
    expect(() => requireHarmlessMask({ data, mask })).toThrow('reveal_last');
  });

  it.each([
    '{{ data.number | reveal_last: 4 }}',
    '{{data.number|reveal_last:4}}',
    '{{ data.number | card_mask }}',
    '****',
  ])('no mask that hides all but the end is refused: %s', (mask) => {
    expect(() => requireHarmlessMask({ data: { number }, mask: { number: mask } })).not.toThrow();
  });
});

describe('a response', () => {
  const stored = {
    id: 'a-token',
    tenant_id: 'a-tenant',
    type: 'card',
    fingerprint: 'confirms-a-guess',
    data: { number: 'XXXXXXXXXXXX4242', expiration_month: 12, cvc: '123', note: 'mine' },
    mask: { number: '{{ data.number }}' },
    card: { bin: '42424242', last4: '4242', brand: 'visa', expiration_month: 12 },
    _extras: { deduplicated: true },
  };
  const asked = {
    type: 'card',
    data: { number: reference, expiration_month: reference, cvc: reference, note: 'mine' },
  };

  it('keeps what is masked, and what the page has sent itself', () => {
    expect(toShownToken(stored, asked)).toEqual({
      id: 'a-token',
      tenant_id: 'a-tenant',
      type: 'card',
      data: { number: 'XXXXXXXXXXXX4242', note: 'mine' },
      card: { bin: '42424242', last4: '4242', brand: 'visa' },
    });
  });

  it.each([number, 4242, [number], { deep: number }, '4242 4242 4242 4242'])(
    'loses plaintext in its data: %j',
    (plain) => {
      const shown = toShownToken({ ...stored, data: { ...stored.data, number: plain } }, asked);
      expect(JSON.stringify(shown)).not.toMatch(/4242.?4242.?4242|"number":4242/);
    },
  );

  it('loses all data where the page has written the mask', () => {
    expect(toShownToken(stored, { ...asked, mask: { number: '****' } })).not.toHaveProperty('data');
  });

  it('of tokenize has ids in the places of values, and tokens without secrets', () => {
    const request = { name: reference, list: ['plain', reference], card: asked };
    const answer = { name: 'id-1', list: ['id-2', 'id-3'], card: stored };
    expect(toShownTokens(answer, request)).toEqual({
      name: 'id-1',
      list: ['id-2', 'id-3'],
      card: toShownToken(stored, asked),
    });
  });

  it('that holds a number in any spelling is noticed', () => {
    for (const text of [number, '4242 4242 4242 4242', '4242-4242-4242-4242', `x${number}y`])
      expect(holdsSecret({ any: [{ place: text }] }, [number])).toBe(true);
    expect(holdsSecret({ any: 'XXXXXXXXXXXX4242' }, [number, '123'])).toBe(false);
  });
});

describe('a retrieved value', () => {
  it('is a reference in every place, and opens for its controller only', () => {
    const kept = new KeptValues();
    const shown = kept.keep({ number, dates: [12, 2030], empty: null });
    expect(JSON.stringify(shown)).not.toMatch(/4242|2030/);
    const { number: reference } = shown as { number: unknown };
    expect(kept.find(reference)).toEqual({ kind: 'text', text: number });
    expect(new KeptValues().find(reference)).toBeUndefined();
  });

  it('fills a card and a date from several references', () => {
    const kept = new KeptValues();
    const shown = kept.keep({ number, expiration_month: 3, expiration_year: 2031, cvc: '999' }) as Record<
      string,
      unknown
    >;
    expect(kept.find(shown)).toEqual({ kind: 'card', number, month: '03', year: '31', code: '999' });
    expect(kept.find({ month: shown['expiration_month'], year: shown['expiration_year'] })).toEqual({
      kind: 'date',
      month: '03',
      year: '31',
    });
  });
});
