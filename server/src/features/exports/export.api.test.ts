import { open, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExportFolder } from '../../../test/harness/export-run.ts';
import { ImportFolder } from '../../../test/harness/import-file.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parsePgpKey } from '../../platform/keyring/export-recipient.ts';
import { checkManifest, ManifestWriter } from './index.ts';

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const bodies = [
  { id: 'out-1', type: 'card', data: { ...card, cvc: '123' }, metadata: { customer: 'c-1' } },
  {
    id: 'out-2',
    type: 'token',
    data: 'plain',
    mask: null,
    containers: ['/a/', '/b/'],
    expires_at: '2099-01-01T00:00:00+02:00',
  },
  {
    id: 'out-3',
    type: 'token',
    data: { a: [1, 'é\u2028'], b: 'found' },
    search_indexes: ['{{ data.b }}'],
    fingerprint_expression: '{{ data.b }}-{{ metadata.x }}',
    metadata: { x: 'y' },
  },
  { id: 'out-4', type: 'token', data: 'masked', mask: '{{ data | reveal_last: 2 }}' },
];
let vault: TestVault;
let tenant: TestTenant;
let folder: ExportFolder;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant('test');
  folder = await ExportFolder.make();
  for (const body of bodies) {
    expect((await vault.request('POST', '/tokens', { key: tenant.keys.reveal, body })).status).toBe(201);
  }
  const rawBody = `{"id":"out-5","type":"token","data":{ "n": 1.0,\n "u": "\\u00e9" }}`;
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody })).status).toBe(201);
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

async function exportPlain(name: string): Promise<string> {
  const { id } = await folder.request(vault, tenant);
  await folder.run(vault, tenant, id, folder.path(name));
  return folder.decryptAge(folder.path(name));
}

describe('an export', () => {
  it('opens with age, and brings the same tokens into another tenant', async () => {
    const plain = await exportPlain('whole.age');
    const other = await vault.makeTenant();
    const imports = await ImportFolder.make();
    const text = await readFile(plain, 'utf8');
    expect(await imports.import(vault, other, { text })).toMatchObject({ imported: 5, rejected: 0 });
    await imports.remove();
    for (const id of ['out-1', 'out-2', 'out-3', 'out-4', 'out-5']) {
      const [before, after] = await Promise.all(
        [tenant, other].map(({ keys }) => vault.request('GET', `/tokens/${id}`, { key: keys.reveal })),
      );
      const { tenant_id, created_at, created_by, fingerprint, ...expected } = (before?.body ?? {}) as Record<
        string,
        unknown
      >;
      if (id === 'out-1') delete (expected['data'] as { cvc?: string }).cvc;
      expect(after?.body).toMatchObject(expected);
      expect([tenant_id, created_at, created_by, fingerprint].every(Boolean)).toBe(true);
    }
    expect(text).not.toContain('"cvc"');
  });

  it('opens with gpg', async () => {
    const { id } = await folder.request(vault, tenant, { recipient: await folder.makePgp() });
    await folder.run(vault, tenant, id, folder.path('whole.pgp'));
    const plain = await readFile(await folder.decryptPgp(folder.path('whole.pgp')), 'utf8');
    expect(plain.split('\n')).toHaveLength(7);
    expect(plain).toContain('"number":"4242424242424242"');
  });

  it('holds what the filter says', async () => {
    const byType = await folder.request(vault, tenant, { type: 'card' });
    expect(await folder.run(vault, tenant, byType.id, folder.path('cards.age'))).toMatchObject({ tokens: 1 });
    const byContainer = await folder.request(vault, tenant, { container: '/b/' });
    expect(await folder.run(vault, tenant, byContainer.id, folder.path('b.age'))).toMatchObject({ tokens: 1 });
  });

  it('leaves no plaintext in its file or its manifest', async () => {
    await exportPlain('sealed.age');
    for (const name of ['sealed.age', 'sealed.age.manifest']) {
      expect((await readFile(folder.path(name))).includes('4242424242424242')).toBe(false);
    }
  });

  it('records what was asked for, its intent before and its outcome after the reading of each token', async () => {
    const other = await vault.makeTenant();
    await vault.request('POST', '/tokens', { key: other.keys.private, body: bodies[3] });
    const { id } = await folder.request(vault, other);
    await folder.run(vault, other, id, folder.path('audited.age'));
    const records = (await vault.auditRecords(other.id)).slice(-4);
    expect(records).toMatchObject([
      { entity_type: 'export', operation: 'request', outcome: 'success' },
      { entity_type: 'export', operation: 'run', outcome: 'intent' },
      {
        entity_type: 'token',
        operation: 'read',
        outcome: 'success',
        transform: 'reveal',
        details: JSON.stringify({ within: id }),
      },
      { entity_type: 'export', operation: 'run', outcome: 'success', details: '{"found":1}' },
    ]);
  });

  it('is gone when a token does not open, and has to be asked for again', async () => {
    const other = await vault.makeTenant();
    await vault.request('POST', '/tokens', { key: other.keys.private, body: bodies[3] });
    await vault.database.owner.query(
      'update tokens set data = set_byte(data, 70, get_byte(data, 70) # 1) where tenant_id = $1',
      [other.id],
    );
    const { id } = await folder.request(vault, other);
    const output = folder.path('broken.age');
    await expect(folder.run(vault, other, id, output)).rejects.toThrow(/at token out-4\. .*could not be opened/);
    await expect(readFile(output)).rejects.toThrow('ENOENT');
    expect((await vault.auditRecords(other.id)).at(-1)).toMatchObject({ entity_type: 'export', outcome: 'failed' });
    await expect(folder.run(vault, other, id, output)).rejects.toThrow('has already been run');
  });

  it('does not use its permission up on a file that exists', async () => {
    const { id } = await folder.request(vault, tenant);
    const taken = await folder.write('taken.age', 'something');
    await expect(folder.run(vault, tenant, id, taken)).rejects.toThrow('already exists');
    expect(await folder.run(vault, tenant, id, folder.path('free.age'))).toMatchObject({ tokens: 5 });
  });

  it('leaves the file of another run alone', async () => {
    const asked = [await folder.request(vault, tenant), await folder.request(vault, tenant)];
    const output = folder.path('shared.age');
    const outcomes = await Promise.allSettled(asked.map(({ id }) => folder.run(vault, tenant, id, output)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const plain = await folder.decryptAge(output);
    expect(await checkManifest(plain, `${output}.manifest`)).toMatchObject({
      rows: 5,
      changedCount: 0,
      end: { tokens: 5 },
    });
    const refused = asked[outcomes.findIndex(({ status }) => status === 'rejected')]?.id ?? '';
    expect(await folder.run(vault, tenant, refused, folder.path('not-shared.age'))).toMatchObject({ tokens: 5 });
  });

  it('leaves nothing behind that was not approved', async () => {
    const production = await vault.makeTenant('production');
    const { id } = await folder.request(vault, production);
    const output = folder.path('unapproved.age');
    await expect(folder.run(vault, production, id, output)).rejects.toThrow('0 of 2 approvals');
    for (const path of [output, `${output}.manifest`]) await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('is run by one of several who try at once', async () => {
    const { id } = await folder.request(vault, tenant);
    const runs = [1, 2, 3].map((number) => folder.run(vault, tenant, id, folder.path(`race-${number}.age`)));
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is not that of another tenant', async () => {
    const { id } = await folder.request(vault, tenant);
    const other = await vault.makeTenant();
    await expect(folder.run(vault, other, id, folder.path('foreign.age'))).rejects.toThrow('no such export');
  });
});

describe('the manifest', () => {
  it('says so when the disk is full', async () => {
    const full = await open('/dev/full', 'r+');
    const head = { version: 1, export_id: '', tenant_id: '', created_at: '', recipient: '' } as const;
    await expect(ManifestWriter.begin(full, head)).rejects.toThrow('ENOSPC');
    await full.close();
    const file = await open(folder.path('full.manifest'), 'wx');
    const manifest = await ManifestWriter.begin(file, head);
    await file.close();
    await expect(manifest.finish({ tokens: 0, file_sha256: '' })).rejects.toThrow('file closed');
  });

  it('agrees with what was exported, and finds what was changed, removed or added', async () => {
    const plain = await exportPlain('listed.age');
    const manifest = folder.path('listed.age.manifest');
    expect(await checkManifest(plain, manifest)).toMatchObject({
      rows: 5,
      changedCount: 0,
      surplus: 0,
      end: { tokens: 5 },
    });
    const text = await readFile(plain, 'utf8');
    const changed = await folder.write('changed', text.replace('4242424242424242', '4242424242424241'));
    expect(await checkManifest(changed, manifest)).toMatchObject({ changed: ['out-1'], changedCount: 1 });
    const shorter = await folder.write('shorter', `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    expect(await checkManifest(shorter, manifest)).toMatchObject({ changedCount: 1, surplus: 0 });
    const longer = await folder.write('longer', `${text}{}\n`);
    expect(await checkManifest(longer, manifest)).toMatchObject({ changedCount: 0, surplus: 1 });
    await expect(checkManifest(manifest, manifest)).rejects.toThrow('not a decrypted export');
  });
});

describe('a recipient', () => {
  it('is refused where it is none', async () => {
    await expect(parsePgpKey('not a key')).rejects.toThrow('does not contain exactly one armored OpenPGP key');
  });
});
