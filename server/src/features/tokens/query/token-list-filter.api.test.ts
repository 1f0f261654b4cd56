import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { idsOf, pageOf } from '../../../../test/harness/token-answers.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const metadata = {
    plain: {},
    red: { color: 'Red', shape: 'round' },
    blue: { color: 'blue', shape: 'Round' },
    odd: { 'a.b': 'dot', 'a[b]': 'bracket', 'x y': '', ünï: 'ÄÖ & =', __proto__x: 'p' },
    hostile: { color: '"); drop table tokens; --' },
  };
  for (const [id, pairs] of Object.entries(metadata)) await create({ id, type: 'token', data: id, metadata: pairs });
  await create({ id: 'number', type: 'card_number', data: '4242424242424242', metadata: { color: 'RED' } });
  await create({ id: 'bank', type: 'us_bank_routing_number', data: '021000021' });
});
afterAll(() => vault.stop());

async function create(body: unknown): Promise<void> {
  const answer = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
  expect(answer.status).toBe(201);
}

const list = (query: string, path = '/tokens', key = tenant.keys.private) =>
  vault.request('GET', `${path}${query}`, { key });

/** Returns the ids that both lists find. They have the same filters, but only the first list has a total. */
async function found(query: string): Promise<string[]> {
  const [page, cursorPage] = [pageOf(await list(query)), pageOf(await list(query, '/v2/tokens'))];
  expect(idsOf(cursorPage)).toEqual(idsOf(page));
  expect(page.pagination.total_items).toBe(page.data.length);
  return idsOf(page).toSorted();
}

describe('id', () => {
  it.each([
    ['?id=red', ['red']],
    ['?id=red&id=blue&id=red', ['blue', 'red']],
    ['?id=none', []],
    ['?id=none&id=bank', ['bank']],
    ['?id=RED', []],
  ])('%s finds %j', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it('takes 40 values of up to 400 characters', async () => {
    const values = ['red', ...Array.from({ length: 39 }, (_, index) => String(index).padEnd(400, 'x'))];
    expect(await found(`?${values.map((value) => `id=${value}`).join('&')}`)).toEqual(['red']);
  });

  it('never finds what another tenant has', async () => {
    const other = await vault.makeTenant();
    const page = pageOf(await list('?id=red', '/tokens', other.keys.reveal));
    expect(page).toMatchObject({ pagination: { total_items: 0 }, data: [] });
  });
});

describe('type', () => {
  it.each([
    ['?type=card_number', ['number']],
    ['?type=card_number&type=us_bank_routing_number', ['bank', 'number']],
    ['?type=card', []],
    ['?type=nonsense', []],
    ['?type=Card_Number', []],
    ['?type=nonsense&type=card_number', ['number']],
  ])('%s finds %j', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });
});

describe('container', () => {
  it.each([
    ['?container=/pci/high/', ['number']],
    ['?container=/PCI/high/', ['number']],
    ['?container=/pci/*', ['number']],
    ['?container=/pci/*&container=/bank/low/', ['bank', 'number']],
    ['?container=/general/high/&metadata.color=red', ['red']],
  ])('%s finds %j', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it.each([
    ['?container=/pci/', [], ['number']],
    ['?container=/', [], ['bank', 'blue', 'hostile', 'number', 'odd', 'plain', 'red']],
    ['?container=/pc/', [], []],
    ['?container=/pci/&container=/bank/', [], ['bank', 'number']],
    ['?container=/general/&metadata.color=red', [], ['red']],
  ])('%s finds %j, and with the children that the v2 route includes %j', async (query, exactly, withChildren) => {
    const page = pageOf(await list(query));
    expect({ ids: idsOf(page), total: page.pagination.total_items }).toEqual({ ids: exactly, total: exactly.length });
    expect(idsOf(pageOf(await list(query, '/v2/tokens'))).toSorted()).toEqual(withChildren);
  });

  it.each(['pci', '/pci', '/p ci/', '*', '/pci*'])('400 refuses %j', async (path) => {
    const answer = await list(`?container=${encodeURIComponent(path)}`, '/v2/tokens');
    expect({ status: answer.status, fields: fieldsOf(answer) }).toEqual({ status: 400, fields: ['container'] });
  });
});

describe('fingerprint', () => {
  it('finds what has this fingerprint', async () => {
    const { fingerprint } = (await list('/number')).body as { fingerprint: string };
    expect(await found(`?fingerprint=${fingerprint}`)).toEqual(['number']);
    expect(await found(`?fingerprint=${fingerprint}&fingerprint=none`)).toEqual(['number']);
    expect(await found('?fingerprint=none')).toEqual([]);
  });
});

describe('metadata', () => {
  const encodings: [string, (key: string, value: string) => string][] = [
    ['metadata.k=v', (key, value) => `metadata.${encodeURIComponent(key)}=${encodeURIComponent(value)}`],
    ['metadata[k]=v', (key, value) => `metadata[${encodeURIComponent(key)}]=${encodeURIComponent(value)}`],
    [
      'metadata[k]=v, all encoded',
      (key, value) => `${encodeURIComponent(`metadata[${key}]`)}=${encodeURIComponent(value)}`,
    ],
    ['metadata={"k":"v"}', (key, value) => `metadata=${encodeURIComponent(JSON.stringify({ [key]: value }))}`],
  ];

  describe.each(encodings)('%s', (_name, encode) => {
    it.each([
      ['color', 'red', ['number', 'red']],
      ['color', 'RED', ['number', 'red']],
      ['color', 'Blue', ['blue']],
      ['Color', 'red', ['number', 'red']],
      ['COLOR', 'Blue', ['blue']],
      ['Colo', 'red', []],
      ['color', 're', []],
      ['color', '%', []],
      ['color', '"); drop table tokens; --', ['hostile']],
      ['a.b', 'DOT', ['odd']],
      ['a[b]', 'bracket', ['odd']],
      ['x y', '', ['odd']],
      ['ünï', 'äö & =', ['odd']],
      ['__proto__x', 'p', ['odd']],
      ['__proto__', 'x', []],
      ['missing', '', []],
    ])('%s is %j', async (key, value, ids) => {
      expect(await found(`?${encode(key, value)}`)).toEqual(ids);
    });
  });

  it.each([
    ['?metadata.color=red&metadata.shape=round', ['red']],
    ['?metadata.color=red&metadata[shape]=ROUND', ['red']],
    ['?metadata[shape]=round', ['blue', 'red']],
    ['?metadata.shape=round&metadata={"color":"blue"}', ['blue']],
    ['?metadata={"color":"red","shape":"round"}', ['red']],
    ['?metadata={"color":"red"}&metadata={"shape":"round"}', ['red']],
    ['?metadata={}', ['bank', 'blue', 'hostile', 'number', 'odd', 'plain', 'red']],
    ['?metadata.color=red&type=card_number', ['number']],
    ['?metadata.color=red&id=red&id=blue&type=token', ['red']],
    ['?metadata.color=red&id=blue', []],
    ['?metadata.color=red&metadata.shape=square', []],
  ])('%s combines to %j', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it.each([
    '?metadata.color=blue&metadata.color=red',
    '?metadata[color]=blue&metadata[color]=red',
    '?metadata.color=blue&metadata[color]=red',
    '?metadata[color]=blue&metadata={"color":"red"}',
    '?metadata={"color":"blue"}&metadata={"color":"red"}',
    '?metadata={"color":"blue"}&metadata.color=red',
  ])('counts only the first of a repeated key: %s', async (query) => {
    expect(await found(query)).toEqual(['blue']);
  });

  it('follows a change of metadata at once', async () => {
    await create({ id: 'changing', type: 'token', data: 1, metadata: { state: 'old', kept: 'yes' } });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = { metadata: { state: 'new' } };
    await vault.request('PATCH', '/tokens/changing', { key: tenant.keys.private, headers, body });
    expect(await found('?metadata.state=old')).toEqual([]);
    expect(await found('?metadata.state=new&metadata.kept=yes')).toEqual(['changing']);
    await vault.request('DELETE', '/tokens/changing', { key: tenant.keys.private });
    expect(await found('?metadata.state=new')).toEqual([]);
    expect(await found('?metadata.kept=yes')).toEqual([]);
  });
});

describe('an invalid filter', () => {
  it.each([
    ['id', '?id='],
    ['id', `?id=${'x'.repeat(401)}`],
    ['id', '?id=a%00b'],
    ['id', `?${Array.from({ length: 101 }, (_, index) => `id=${index}`).join('&')}`],
    ['type', '?type='],
    ['metadata', '?metadata.=x'],
    ['metadata', '?metadata[]=x'],
    ['metadata', `?metadata.${'k'.repeat(201)}=x`],
    ['metadata', `?metadata.k=${'v'.repeat(501)}`],
    ['metadata', '?metadata.k=a%00b'],
    ['metadata', '?metadata='],
    ['metadata', '?metadata=text'],
    ['metadata', '?metadata=[]'],
    ['metadata', '?metadata={"k":1}'],
    ['metadata', '?metadata={"k":null}'],
    ['metadata', `?${Array.from({ length: 11 }, (_, index) => `metadata.k${index}=v`).join('&')}`],
  ])('400 names %s', async (field, query) => {
    for (const path of ['/tokens', '/v2/tokens']) {
      const answer = await list(query, path);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual([field]);
    }
  });
});
