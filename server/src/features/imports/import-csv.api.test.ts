import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImportFolder, type ImportTry, toLines } from '../../../test/harness/import-file.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

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

const read = async (id: string) => (await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal })).body;
const importCsv = (order: ImportTry) => folder.import(vault, tenant, { format: 'csv', ...order });

describe('a CSV file', () => {
  it('has columns named after fields', async () => {
    const text = [
      '\ufeffid,type,data.number,data.expiration_month:number,metadata.customer,containers,data.holder.name,deduplicate_token:boolean',
      'csv-one,card,4242424242424242,7,"Acme, ""Inc""",/pci/high/a/,"Jane\nDoe",false',
      'csv-two,card,4242424242424242,,,,,',
    ].join('\r\n');
    expect(await importCsv({ text })).toMatchObject({ imported: 2, rejected: 0 });
    expect(await read('csv-one')).toMatchObject({
      type: 'card',
      data: { number: '4242424242424242', expiration_month: 7, holder: { name: 'Jane\nDoe' } },
      metadata: { customer: 'Acme, "Inc"' },
      containers: ['/pci/high/a/'],
    });
    expect(await read('csv-two')).toMatchObject({ data: { number: '4242424242424242' }, containers: ['/pci/high/'] });
  });

  it('has columns that go where the map says, and fields that are the same for all', async () => {
    const text = 'reference,pan,notes,tags\nmapped-one,4242424242424242,forget me,"[""/a/"",""/b/""]"\n';
    const map = ['reference=id', 'pan=data.number', 'notes=', 'tags=containers:json'];
    const set = ['type=card', 'metadata.source=old vault'];
    expect(await importCsv({ text, map, set })).toMatchObject({ imported: 1 });
    expect(await read('mapped-one')).toMatchObject({
      type: 'card',
      data: { number: '4242424242424242' },
      containers: ['/a/', '/b/'],
      metadata: { source: 'old vault' },
    });
  });

  it('is not begun when a column goes nowhere, or a map to nothing', async () => {
    const text = 'id,pan\nx-1,1\n';
    await expect(importCsv({ text })).rejects.toThrow(
      `The column "pan" is not a token field. Map it with --map 'pan=field'`,
    );
    await expect(importCsv({ text, map: ['pan=data', 'other=id'] })).rejects.toThrow('no column named "other"');
    await expect(importCsv({ text, map: ['pan=card.number'] })).rejects.toThrow('"card.number" is not a token field');
    await expect(importCsv({ text: '' })).rejects.toThrow('does not start with a header line');
  });

  it('is rejected where it is malformed, by its lines', async () => {
    const text = 'id,type,data\na-1,token,1,more\na-2,token,four\na-3,token,t"o\na-4,token,"4"\n"a-5';
    const { rejects, imported } = await importCsv({ text, map: ['data=data:number'] });
    expect(imported).toBe(0);
    // A stray quote opens a field that the next quotes close, so the boundaries of the affected records cannot be
    // determined.
    expect(rejects.map(({ line, last_line, code }) => [line, last_line, code])).toEqual([
      [2, undefined, 'malformed-csv'],
      [3, undefined, 'validation-failed'],
      [4, 6, 'malformed-csv'],
    ]);
  });
});

describe('a map of JSON members', () => {
  it('moves them, by name or path, and leaves what it does not name as it was spelled', async () => {
    const text = `${toLines({ ref: 'json-one', card: { pan: '4242424242424242', exp: { m: '09' } }, kind: 'card' })}{"ref":"json-two","kind":"token","data":{"n":1.0}}\n`;
    const map = ['ref=id', 'card.pan=data.number', 'card.exp.m=metadata.month', 'kind=type'];
    expect(await folder.import(vault, tenant, { text, map })).toMatchObject({ imported: 2, rejected: 0 });
    expect(await read('json-one')).toMatchObject({
      type: 'card',
      data: { number: '4242424242424242' },
      metadata: { month: '09' },
    });
    const two = await vault.request('GET', '/tokens/json-two', { key: tenant.keys.reveal });
    expect(two.text).toContain('"data":{"n":1.0}');
  });

  it('takes a field away from where it stood', async () => {
    const text = toLines({ id: 'old-1', type: 'token', data: 'x' });
    expect(await folder.import(vault, tenant, { text, map: ['id=metadata.old_id'] })).toMatchObject({ imported: 1 });
    const found = await vault.request('GET', '/tokens?metadata.old_id=old-1', { key: tenant.keys.private });
    expect(found.body).toMatchObject({ data: [{ metadata: { old_id: 'old-1' } }] });
    expect(await read('old-1')).toMatchObject({ status: 404 });
  });
});
