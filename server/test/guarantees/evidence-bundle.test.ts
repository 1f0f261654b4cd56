import { randomInt } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFiles, manifestName, toManifestText } from '../../src/app/evidence/bundle/evidence-manifest.ts';
import { toEvidencePage } from '../../src/app/evidence/bundle/evidence-page.ts';
import { takeEvidence } from '../../src/app/evidence/take-evidence.ts';
import type { EvidenceView } from '../../src/app/evidence/bundle/evidence-schema.ts';
import { verifyBundle } from '../../src/app/evidence/bundle/verify-bundle.ts';
import type { AuditSigner } from '../../src/platform/keyring/sealing/audit-signer.ts';
import { evidenceOrder } from '../harness/evidence-order.ts';
import { fillLog, sealAll, signerOf } from '../harness/sealed-log.ts';
import { createApplication } from '../harness/test-application.ts';
import { TestVault } from '../harness/test-vault.ts';

// A bundle of evidence with any byte changed is refused, without the vault.

const changes = Number(process.env['EVIDENCE_CHANGES'] ?? 1_000);

let vault: TestVault;
let signer: AuditSigner;
let directory: string;
let genuine: string;
let view: EvidenceView;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-bundle-'));
  vault = await TestVault.start();
  signer = signerOf(vault.server);
  const tenant = await vault.makeTenant();
  await sealAll(vault.database, signer);
  const begunAt = new Date();
  for (let number = 0; number < 3; number += 1) {
    await createApplication(vault, tenant);
    await fillLog(vault.database, { tenantId: tenant.id, count: 300, days: 0 });
    await sealAll(vault.database, signer);
  }
  genuine = path.join(directory, 'genuine');
  // The period begins after the first checkpoint, so that a proof shows how the log has grown since.
  view = await takeEvidence(
    evidenceOrder(vault, { period: { from: begunAt, to: new Date(Date.now() + 1_000) } }),
    genuine,
  );
});
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

const verify = (folder: string) => verifyBundle(folder, signer.publicKey);
async function copy(): Promise<string> {
  const folder = path.join(directory, crypto.randomUUID());
  await cp(genuine, folder, { recursive: true });
  return folder;
}

describe('a bundle of evidence', () => {
  it('verifies as it was written, with a proof of each kind', async () => {
    const { problems, proven } = await verify(genuine);
    expect(problems).toEqual([]);
    // No more than 200 records of a tenant are proved.
    expect(proven).toEqual({ checkpoints: 2, consistency: 1, records: 200 });
  });

  it(`is refused after each of ${changes} random changes`, async () => {
    const folder = await copy();
    const names = [...bundleFiles, manifestName];
    const accepted: string[] = [];
    for (let round = 0; round < changes; round += 1) {
      const name = names[round % names.length] ?? manifestName;
      const file = path.join(folder, name);
      const before = await readFile(file);
      const at = randomInt(before.length);
      const kind = randomInt(4);
      const bytes = Buffer.from(before);
      if (kind < 2) bytes[at] = ((bytes[at] ?? 0) + randomInt(1, 256)) % 256;
      const changed =
        kind < 2
          ? bytes
          : kind === 2
            ? Buffer.concat([before.subarray(0, at), before.subarray(at + 1)])
            : Buffer.concat([before.subarray(0, at), Buffer.of(randomInt(256)), before.subarray(at)]);
      await writeFile(file, changed);
      if ((await verify(folder)).problems.length === 0) accepted.push(`${name} at ${at}, ${kind}`);
      await writeFile(file, before);
    }
    expect(accepted).toEqual([]);
    expect((await verify(folder)).problems).toEqual([]);
  });

  it('of another vault is refused, even if it is whole', async () => {
    const another = await TestVault.start();
    try {
      const foreign = path.join(directory, 'foreign');
      await takeEvidence(evidenceOrder(another), foreign);
      expect((await verifyBundle(foreign, signerOf(another.server).publicKey)).problems).toEqual([]);
      expect((await verify(foreign)).problems).toHaveLength(1);
    } finally {
      await another.stop();
    }
  });

  it.each([
    ['another version of the format', (text: string) => text.replace('manifest/1', 'manifest/2')],
    [
      'the format of an archive',
      (text: string) => text.replace('strongroom/evidence-manifest/1', 'strongroom/audit-archive/1'),
    ],
    ['no signature', (text: string) => `${text.split('\n').slice(0, 2).join('\n')}\n\n`],
    ['a line more', (text: string) => `${text}\n`],
    ['another spelling of the signature', (text: string) => text.replace(/=*\n$/, '\n')],
    ['nothing', () => ''],
  ])('is refused if its manifest has %s', async (_what, change) => {
    const folder = await copy();
    const file = path.join(folder, manifestName);
    const text = await readFile(file, 'utf8');
    await writeFile(file, change(text));
    expect((await verify(folder)).problems).toHaveLength(1);
  });

  it('is refused if its manifest names other files, even if it is signed', async () => {
    const folder = await copy();
    const file = path.join(folder, manifestName);
    const [, json = ''] = (await readFile(file, 'utf8')).split('\n');
    const manifest = JSON.parse(json) as Parameters<typeof toManifestText>[0];
    const [first, ...rest] = manifest.files;
    const outside = { name: '../genuine/evidence.json', bytes: first?.bytes ?? 0, sha256: first?.sha256 ?? '' };
    for (const files of [[outside, ...rest], rest, [...rest, ...rest], [...manifest.files, outside], []]) {
      await writeFile(file, toManifestText({ ...manifest, files }, signer));
      expect((await verify(folder)).problems).toHaveLength(1);
    }
    await writeFile(file, toManifestText(manifest, signer));
    expect((await verify(folder)).problems).toEqual([]);
  });

  it('is refused if a file is missing, added or a link', async () => {
    const without = await copy();
    await rm(path.join(without, 'evidence.html'));
    expect((await verify(without)).problems).toEqual(['evidence.html is missing.']);
    const more = await copy();
    await writeFile(path.join(more, 'evidence-2.html'), 'Everything holds.');
    expect((await verify(more)).problems).toEqual(['1 files do not belong to the bundle.']);
    const linked = await copy();
    await rm(path.join(linked, 'evidence.html'));
    await symlink(path.join(genuine, 'evidence.html'), path.join(linked, 'evidence.html'));
    expect((await verify(linked)).problems).toEqual(['evidence.html is not a plain file.']);
  });

  it('is refused without being read if a file is larger than it was', async () => {
    const folder = await copy();
    await truncate(path.join(folder, 'evidence.html'), 2 ** 38);
    expect((await verify(folder)).problems).toEqual(['evidence.html was changed.']);
  });

  it('is refused if a proof in it does not hold, even if the manifest is signed again', async () => {
    const folder = await copy();
    const file = path.join(folder, 'proofs/consistency.ndjson');
    const proof = JSON.parse(await readFile(file, 'utf8')) as { appended: string[] };
    await writeFile(file, `${JSON.stringify({ ...proof, appended: proof.appended.toReversed() })}\n`);
    await signAgain(folder);
    expect((await verify(folder)).problems).toEqual(['Line 1 of proofs/consistency.ndjson proves nothing.']);
  });

  it('contains no proof of a tenant that it is not about', async () => {
    const folder = await copy();
    const file = path.join(folder, 'evidence.json');
    const evidence = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...evidence, tenant_id: crypto.randomUUID() }));
    await signAgain(folder);
    expect((await verify(folder)).problems).toContain('Line 1 of proofs/records.ndjson proves nothing.');
  });
});

describe('the page of a bundle', () => {
  it('shows every text as text', () => {
    const hostile = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';
    const [row] = view.rows;
    if (row === undefined) throw new Error('There are no rows.');
    const fact = {
      id: hostile,
      verdict: 'fails' as const,
      sentence: hostile,
      figure: {},
      affected: [{ tenant_id: hostile, kind: hostile, id: hostile }],
      affected_total: 1,
      found_by: hostile,
      proof: { not_provable: hostile },
      read_at: hostile,
      to_do: hostile,
    };
    const page = toEvidencePage({ ...view, rows: [{ ...row, topic: hostile, vault: hostile, facts: [fact] }] });
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;script&gt;');
    expect(page).toContain("default-src 'none'");
  });

  it('loads nothing', async () => {
    const page = await readFile(path.join(genuine, 'evidence.html'), 'utf8');
    expect(page).not.toMatch(/<(?:script|link|img|iframe|object)\b|url\(|@import|https?:/);
    expect((await readdir(genuine)).toSorted()).toEqual(
      ['evidence.html', 'evidence.json', 'evidence.schema.json', 'manifest', 'proofs'].toSorted(),
    );
  });
});

/** Does what somebody with the signing key could. */
async function signAgain(folder: string): Promise<void> {
  const { describeFile } = await import('../../src/app/evidence/bundle/file-description.ts');
  const files = [];
  for (const name of bundleFiles) files.push(await describeFile(folder, name));
  const manifest = { created_at: view.finished_at, public_key: view.public_key, files };
  await writeFile(path.join(folder, manifestName), toManifestText(manifest, signer));
}
