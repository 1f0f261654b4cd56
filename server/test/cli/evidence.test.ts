import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceView } from '../../src/app/evidence/bundle/evidence-schema.ts';
import { readFacts, takeEvidence } from '../../src/app/evidence/take-evidence.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { evidenceOrder } from '../harness/evidence-order.ts';
import {
  exposeSecretFile,
  makeSound,
  plantedWeaknesses,
  surroundings,
  weakSettings,
} from '../harness/planted-weaknesses.ts';
import { Program } from '../harness/program.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-evidence-'));
});
afterEach(() => Program.killAll());
afterAll(() => rm(directory, { recursive: true }));

const folder = (name: string) => path.join(directory, name);
const openIn = ({ rows }: EvidenceView) =>
  rows.flatMap(({ facts }) => facts).filter(({ verdict }) => verdict !== 'holds');

describe('evidence of a vault with planted weaknesses', () => {
  let vault: TestVault;
  let tenant: TestTenant;
  beforeAll(async () => {
    vault = await TestVault.start();
    tenant = await vault.makeTenant();
    await makeSound(vault, tenant);
    await sealAll(vault.database, signerOf(vault.server));
  });
  afterAll(() => vault.stop());

  it('names every one of them, and none before they were there', async () => {
    const before = await takeEvidence(evidenceOrder(vault), folder('sound'));
    expect(
      openIn(before)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(surroundings.toSorted());

    const planted = new Map<string, string | undefined>();
    for (const { fact, plant } of plantedWeaknesses) planted.set(fact, await plant(vault, tenant));
    const order = evidenceOrder(vault, {
      environment: await exposeSecretFile(folder('secret')),
      version: '1.0.0-dev+1234567',
    });
    const { config } = order;
    const audit = { ...config.audit, retentionMonths: 6 };
    const after = await takeEvidence({ ...order, config: { ...config, audit } }, folder('weak'));
    const found = openIn(after);
    const expected = [...surroundings, ...weakSettings, ...planted.keys()];
    expect(found.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(30);
    for (const { id, affected, sentence, to_do: remedy } of found) {
      const named = planted.get(id);
      if (named !== undefined)
        expect([id, affected.map((one) => one.id)]).toEqual([id, expect.arrayContaining([named])]);
      expect([sentence, remedy]).toEqual([expect.stringMatching(/^[A-Z0-9].*\.$/), expect.any(String)]);
    }
    expect(Value.Check(EvidenceView, after)).toBe(true);
  });
});

describe('strongroom evidence', () => {
  const rootKey = generateRootKey();
  let vault: TestVault;
  let tenant: TestTenant;
  let other: TestTenant;
  let settings: Record<string, string>;
  const canaries: string[] = [rootKey];
  beforeAll(async () => {
    vault = await TestVault.start(parseRootKey(rootKey));
    settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
    tenant = await vault.makeTenant();
    other = await vault.makeTenant();
    for (const { keys } of [tenant, other]) canaries.push(...Object.values(keys));
    // Names, containers and metadata are chosen by callers.
    const hostile = '<img src=x onerror=alert(1)>&"\'';
    await createApplication(vault, tenant, { name: hostile, permissions: ['token:use'] });
    await vault.database.owner.query('update tenants set name = $2 where id = $1', [tenant.id, hostile]);
    await vault.database.owner.query(`update tenants set name = 'Competitor' where id = $1`, [other.id]);
    canaries.push(hostile, 'Competitor');
    for (const one of [tenant, other]) {
      const value = `canary ${crypto.randomUUID()}`;
      canaries.push(value);
      const body = { type: 'token', data: value, metadata: { note: value }, containers: ['/canary-container/'] };
      await vault.request('POST', '/tokens', { key: one.keys.private, body });
    }
    canaries.push('canary-container');
    await sealAll(vault.database, signerOf(vault.server));
  });
  afterAll(() => vault.stop());

  const readAll = async (name: string) => {
    const files = (await readdir(folder(name), { recursive: true, withFileTypes: true })).filter((it) => it.isFile());
    const texts = await Promise.all(files.map((it) => readFile(path.join(it.parentPath, it.name), 'utf8')));
    return texts.join('\n');
  };

  it('writes a bundle that verifies elsewhere, with no value, secret or name in it', async () => {
    const taken = await Program.run(['evidence', '--all', '--output', folder('all'), '--json'], settings);
    expect([taken.code, taken.stderr]).toEqual([0, '']);
    const { public_key: key } = JSON.parse(taken.stdout) as { public_key: string };
    const checked = await Program.run(['evidence', 'verify', folder('all'), '--public-key', key, '--json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({
      ok: true,
      problems: [],
      proven: { checkpoints: expect.any(Number), records: expect.any(Number) },
    });
    expect(checked.code).toBe(0);
    const { proven } = JSON.parse(checked.stdout) as { proven: Record<string, number> };
    expect(proven['checkpoints']).toBeGreaterThan(1);
    expect(proven['records']).toBeGreaterThan(1);
    const text = await readAll('all');
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);

    // Evidence is never overwritten.
    const again = await Program.run(['evidence', '--all', '--output', folder('all')], settings);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    expect(await readAll('all')).toBe(text);
  });

  it('says nothing about other tenants in the bundle of one', async () => {
    const order = evidenceOrder(vault, { tenantId: parseTenantId(tenant.id) });
    await takeEvidence(order, folder('one'));
    const text = await readAll('one');
    expect(text).toContain(tenant.id);
    expect(text).not.toContain(other.id);
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
  });

  it('leaves a record in the log of each tenant, and nothing where it fails', async () => {
    const readsOf = async (id: string) =>
      (await vault.auditRecords(id)).filter(({ details }) => details === '{"fields":["evidence"]}').length;
    const before = await readsOf(other.id);
    await readFacts(evidenceOrder(vault));
    expect(await readsOf(other.id)).toBe(before + 1);
    const missing = evidenceOrder(vault, { tenantId: parseTenantId(crypto.randomUUID()) });
    await expect(takeEvidence(missing, folder('missing'))).rejects.toThrow('There is no such tenant.');
    expect(await readdir(directory)).not.toContain('missing');
  });

  it('reports a fact that cannot be read as such', async () => {
    const failures: string[] = [];
    const order = evidenceOrder(vault, { onFailure: (group) => failures.push(group) });
    await vault.database.owner.query('alter function failed_jobs() rename to hidden_jobs');
    try {
      const facts = await readFacts(order);
      const unread = facts.find(({ definition }) => definition.id === 'failing-webhooks');
      expect(unread).toMatchObject({ verdict: 'attention', sentence: expect.stringContaining('could not be read') });
      expect(failures).toEqual(['operation', 'operation']);
    } finally {
      await vault.database.owner.query('alter function hidden_jobs() rename to failed_jobs');
    }
  });

  it('is printed by doctor as a list of what to do, the most urgent first', async () => {
    const { code, stdout } = await Program.run(['doctor', '--pci', '--json'], settings);
    const { facts } = JSON.parse(stdout) as { facts: { id: string; verdict: string; to_do: string | null }[] };
    expect(code).toBe(1);
    expect(facts[0]?.verdict).toBe('fails');
    expect(facts.at(-1)?.verdict).toBe('holds');
    expect(facts.filter(({ verdict, to_do: remedy }) => (verdict === 'holds') !== (remedy === null))).toEqual([]);
    const text = await Program.run(['doctor', '--pci', '--tenant', tenant.id], settings);
    expect(text.stdout).toMatch(/^FAIL fsync: .*To do: run `strongroom doctor`, which says what to do\.$/m);
  });
});
