import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { fillLog, sealAll, signerOf } from '../harness/sealed-log.ts';
import { createApplication, recordsOf, type TestApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let leaked: TestApplication;
let directory: string;
let settings: Record<string, string>;
const tokenIds: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-exposure-'));
  const rootKey = generateRootKey();
  vault = await TestVault.start(parseRootKey(rootKey));
  settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
  tenant = await vault.makeTenant();
  leaked = await createApplication(vault, tenant, { permissions: ['token:read', 'token:search'] });
  for (let number = 0; number < 6; number += 1) {
    const body = { type: 'token', data: `secret ${number}` };
    const { body: made } = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    const { id } = made as { id: string };
    tokenIds.push(id);
    await vault.request('GET', `/tokens/${id}`, { key: leaked.key });
    // This spreads the records over several checkpoints, so that their proofs have to pass through others.
    await fillLog(vault.database, { tenantId: tenant.id, count: 700, days: 0 });
    await sealAll(vault.database, signerOf(vault.server));
  }
  await vault.request('GET', `/tokens/${crypto.randomUUID()}`, { key: leaked.key });
  await sealAll(vault.database, signerOf(vault.server));
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

const file = (name: string) => path.join(directory, name);
const audit = (...command: string[]) => Program.run(['audit', ...command], settings);
const ofKey = () => ['exposure', '--tenant', tenant.id, '--key', leaked.keyId];

describe('audit exposure', () => {
  it('lists what a key saw, with proofs that hold without a database and not after a change', async () => {
    const { code, stdout } = await audit(...ofKey(), '--json', '--prove', file('proofs.ndjson'));
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { tokens: { token_id: string }[]; proofs: { public_key: string } };
    expect(report).toMatchObject({
      records: 7,
      tokens_seen: { reveal: 0, mask: 6, redact: 0 },
      misses: [{ count: 1 }],
      proofs: { records: 7 },
    });
    expect(report.tokens.map(({ token_id }) => token_id).toSorted()).toEqual(tokenIds.toSorted());

    const text = await readFile(file('proofs.ndjson'), 'utf8');
    const proofs = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { record: Record<string, unknown> });
    expect(proofs).toHaveLength(7);
    expect(proofs.every(({ record }) => record['key_id'] === leaked.keyId)).toBe(true);
    await writeFile(file('array.json'), JSON.stringify(proofs));
    await writeFile(file('forged.ndjson'), text.replace('"transform":"mask"', '"transform":"redact"'));
    const [one = ''] = text.split('\n');
    await writeFile(file('repeated.ndjson'), `${one}\n`.repeat(7));
    await writeFile(file('laid-out.json'), JSON.stringify(proofs, undefined, 2));
    const check = (name: string) =>
      Program.run(['audit', 'check', file(name), '--public-key', report.proofs.public_key, '--json']);
    for (const name of ['proofs.ndjson', 'array.json', 'laid-out.json'])
      expect(JSON.parse((await check(name)).stdout)).toEqual({ ok: true, proven: 7, failed: 0 });
    const forged = await check('forged.ndjson');
    expect(JSON.parse(forged.stdout)).toEqual({ ok: false, proven: 6, failed: 1 });
    expect(forged.code).toBe(1);
    // One proof that is repeated seven times counts only once.
    expect(JSON.parse((await check('repeated.ndjson')).stdout)).toEqual({ ok: true, proven: 1, failed: 0 });

    // Evidence is never overwritten, and a failed report leaves no file.
    const again = await audit(...ofKey(), '--prove', file('proofs.ndjson'));
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
    expect(await readFile(file('proofs.ndjson'), 'utf8')).toBe(text);
    const other = ['exposure', '--tenant', crypto.randomUUID(), '--key', leaked.keyId];
    expect((await audit(...other, '--prove', file('none.ndjson'))).code).toBe(1);
    await expect(access(file('none.ndjson'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('prints tables for people, and leaves a record of having read the log', async () => {
    const { code, stdout } = await audit(...ofKey());
    expect(code).toBe(0);
    expect(stdout).toContain('7 records: 0 tokens in plaintext, 6 masked, 0 redacted.');
    expect(stdout).toMatch(/\n\nThe log is kept since \d{4}-\d\d-01; what happened before is not in this report\.\n$/);
    for (const id of tokenIds) expect(stdout).toMatch(new RegExp(`^masked +${id} +token +read +- +1 `, 'm'));
    const reads = (await recordsOf(vault, tenant, '*')).filter((record) => record['actor_type'] === 'system');
    expect(reads.at(-1)).toMatchObject({ entity_type: 'log', operation: 'read', details: '{"fields":["key_id"]}' });
  });

  it('says who saw a token', async () => {
    const [id = ''] = tokenIds;
    const { stdout } = await audit('token', id, '--tenant', tenant.id, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      records: 2,
      viewers: [
        { actor_id: leaked.id, key_id: leaked.keyId, transform: 'mask', operations: ['read'] },
        { operations: ['create'], transform: 'mask' },
      ],
    });
    expect((await audit('token', id, '--tenant', tenant.id)).stdout).toContain(`application ${leaked.id}`);
  });

  it('says who could see a token, and leaves a record', async () => {
    const { stdout } = await audit('who', '--tenant', tenant.id, '--token', tokenIds[0] ?? '', '--json');
    const { applications } = JSON.parse(stdout) as { applications: { id: string }[] };
    expect(applications.find(({ id }) => id === leaked.id)).toMatchObject({
      transform: 'mask',
      ways: [{ way: 'token:read' }, { way: 'token:search' }],
    });
    const table = await audit('who', '--tenant', tenant.id, '--container', '/');
    expect(table.stdout).toMatch(new RegExp(`^masked +private application +${leaked.id} +token:read=mask`, 'm'));
    expect(await recordsOf(vault, tenant, '*')).toContainEqual(
      expect.objectContaining({ entity_type: 'application', operation: 'read', actor_type: 'system' }),
    );
  });

  it.each([
    ['no target', () => ['who', '--tenant', tenant.id], 'Name one of'],
    [
      'a tenant that does not exist',
      () => ['who', '--tenant', crypto.randomUUID(), '--container', '/'],
      'no such tenant',
    ],
    ['no subject', () => ['exposure', '--tenant', tenant.id], 'Name one of'],
    ['two subjects', () => [...ofKey(), '--address', '::1'], 'cannot be used with'],
    [
      'an unknown tenant',
      () => ['exposure', '--tenant', crypto.randomUUID(), '--address', '::1'],
      'no log of this tenant',
    ],
    ['a bad time', () => [...ofKey(), '--from', 'yesterday'], 'ISO 8601'],
    [
      'a time that ends before it begins',
      () => [...ofKey(), '--from', '2026-02-01', '--to', '2026-01-01'],
      'before --to',
    ],
    ['no address', () => ['exposure', '--tenant', tenant.id, '--address', 'localhost'], 'must be an IP address'],
  ])('exits with 1 for %s', async (_what, command, message) => {
    const { code, stderr } = await audit(...command());
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
  });
});
