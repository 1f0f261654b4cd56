import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { sealVault } from '../harness/sealed-log.ts';
import { createApplication, type TestApplication } from '../harness/test-application.ts';
import { databaseSettings } from '../harness/test-nodes.ts';
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
  vault = await TestVault.start(parseRootKey(rootKey), { nodes: 2 });
  settings = { STRONGROOM_ROOT_KEY: rootKey, ...databaseSettings(vault) };
  tenant = await vault.makeTenant();
  leaked = await createApplication(vault, tenant, { permissions: ['token:read', 'token:search'] });
  for (let number = 0; number < 8; number += 1) {
    const body = { type: 'token', data: `secret ${number}` };
    const { body: made } = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    const { id } = made as { id: string };
    tokenIds.push(id);
    await vault.request('GET', `/tokens/${id}`, { key: leaked.key });
  }
  // What is not there is recorded at home.
  await vault.request('GET', `/tokens/${crypto.randomUUID()}`, { key: leaked.key });
  await sealVault(vault);
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

const audit = (...command: string[]) => Program.run(['audit', ...command], settings);

it('audit exposure lists what a key saw on all nodes, with proofs from the tree of each', async () => {
  const file = path.join(directory, 'proofs.ndjson');
  const subject = ['--tenant', tenant.id, '--key', leaked.keyId];
  const { code, stdout, stderr } = await audit('exposure', ...subject, '--json', '--prove', file);
  expect([code, stderr]).toEqual([0, '']);
  const report = JSON.parse(stdout) as { tokens: { token_id: string }[]; proofs: { public_key: string } };
  expect(report).toMatchObject({ records: 9, misses: [{ count: 1 }], proofs: { records: 9 } });
  expect(report.tokens.map(({ token_id }) => token_id).toSorted()).toEqual(tokenIds.toSorted());
  const checked = await audit('check', file, '--public-key', report.proofs.public_key);
  expect(checked.code, checked.stderr).toBe(0);
});

it('audit token and audit who find a token on a node', async () => {
  const [id = ''] = tokenIds;
  const seen = await audit('token', id, '--tenant', tenant.id, '--json');
  expect(JSON.parse(seen.stdout)).toMatchObject({ records: 2, viewers: [{ actor_id: leaked.id }, {}] });
  const who = await audit('who', '--tenant', tenant.id, '--token', id, '--json');
  const { applications } = JSON.parse(who.stdout) as { applications: { id: string }[] };
  expect(applications.map((application) => application.id)).toContain(leaked.id);
});
