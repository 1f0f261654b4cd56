import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { takeEvidence } from '../../src/app/evidence/take-evidence.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { evidenceOrder } from '../harness/evidence-order.ts';
import { Program } from '../harness/program.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { createApplication } from '../harness/test-application.ts';
import { TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let directory: string;
let application: string;
let publicKey: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-compare-'));
  vault = await TestVault.start();
  const tenant = await vault.makeTenant();
  publicKey = signerOf(vault.server).publicKey.toString('base64');
  await sealAll(vault.database, signerOf(vault.server));
  await takeEvidence(evidenceOrder(vault), folder('earlier'));
  await takeEvidence(evidenceOrder(vault, { tenantId: parseTenantId(tenant.id) }), folder('tenant'));
  ({ id: application } = await createApplication(vault, tenant, { permissions: ['token:use'] }));
  await takeEvidence(evidenceOrder(vault), folder('later'));
  const data = { type: 'token', data: 'expired', expires_at: new Date(Date.now() + 60_000).toISOString() };
  await vault.request('POST', '/tokens', { key: tenant.keys.private, body: data });
  await vault.database.owner.query(`update tokens set expires_at = now() - interval '2 hours'`);
  await takeEvidence(evidenceOrder(vault), folder('failing'));
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

const folder = (name: string) => path.join(directory, name);
const compare = (earlier: string, later: string, ...more: string[]) =>
  Program.run(['evidence', 'compare', folder(earlier), folder(later), '--public-key', publicKey, ...more]);

describe('strongroom evidence compare', () => {
  it('says without the vault which facts changed, and exits with 0 if none has come to fail', async () => {
    const { code, stdout, stderr } = await compare('earlier', 'later');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^What changed in the whole vault from 2\S+Z to 2\S+Z:$/m);
    const changed = stdout
      .split('\n')
      .find((line) => line.startsWith('warn any-destination: It still needs attention.'));
    expect(changed).toMatch(
      new RegExp(`Applications rose from 2 to 3\\. Newly affected: application ${application}\\.`),
    );
    expect(stdout).toMatch(/^\d+ facts changed, \d+ did not\. Failed before and still do: .*fsync/m);
  });

  it('lists a new failure first, and exits with 1', async () => {
    const { code, stdout } = await compare('later', 'failing', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, problems: [], tenant_id: null, notes: [] });
    const { changes } = JSON.parse(stdout) as { changes: object[] };
    expect(changes[0]).toMatchObject({
      fact: 'expired-tokens',
      kind: 'new-failure',
      earlier: 'holds',
      later: 'fails',
      figure: [{ name: 'tokens', earlier: 0, later: 1 }],
      sentence: expect.stringMatching(/^It held before and fails now\. .*1 token\. Tokens rose from 0 to 1\./),
    });
    const text = await compare('later', 'failing');
    expect(text.stdout.split('\n')[1]).toMatch(/^FAIL expired-tokens: .*To do: see that `strongroom work` runs/);
  });

  it('compares no bundle that does not verify, is of another tenant or vault, or is in the wrong place', async () => {
    const another = await TestVault.start();
    try {
      await takeEvidence(evidenceOrder(another), folder('foreign'));
    } finally {
      await another.stop();
    }
    await takeEvidence(evidenceOrder(vault), folder('changed'));
    await appendFile(path.join(folder('changed'), 'evidence.json'), ' ');
    const cases = [
      ['earlier', 'changed', 'The later bundle does not verify. evidence.json was changed.'],
      ['changed', 'later', 'The earlier bundle does not verify. evidence.json was changed.'],
      ['foreign', 'later', 'The earlier bundle does not verify. The manifest is not one that the vault with this key'],
      ['earlier', 'tenant', 'The bundles are about different things: the earlier about the whole vault'],
      ['later', 'earlier', 'Name the earlier one first.'],
      ['earlier', 'missing', 'The later bundle does not verify. It cannot be read (ENOENT).'],
    ] as const;
    for (const [earlier, later, problem] of cases) {
      const { code, stdout } = await compare(earlier, later);
      expect([code, stdout]).toEqual([2, expect.stringContaining(problem)]);
      expect(stdout.split('\n')).toHaveLength(2);
    }
    const { code, stdout } = await compare('earlier', 'changed', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([2, { ok: false, problems: [cases[0][2]] }]);
  });
});
