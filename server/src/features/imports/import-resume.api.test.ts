import { appendFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImportFolder, toLines } from '../../../test/harness/import-file.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { nothingYet, RejectFile, TokenImport, VaultWriter } from './index.ts';

let vault: TestVault;
let folder: ImportFolder;
beforeAll(async () => {
  vault = await TestVault.start();
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

/** Creates records, half of them without an id. Only the position in the file prevents duplicates of those. */
const makeText = (count: number) =>
  toLines(
    ...Array.from({ length: count }, (_, index) => ({
      ...(index % 2 === 0 ? { id: `resumed-${index}` } : {}),
      type: index % 1_000 === 500 ? 'no such type' : 'token',
      data: `value ${index}`,
    })),
  );
const countTokens = async ({ id }: TestTenant) =>
  (await vault.database.owner.query('select count(*)::int as count from tokens where tenant_id = $1', [id])).rows[0];

/** Stops the import after the first batch is written. */
function stopAfterFirstBatch() {
  const controller = new AbortController();
  return { signal: controller.signal, onProgress: () => controller.abort() };
}

describe('an import that was stopped', () => {
  it('goes on where it stopped, and neither loses nor doubles a row or a reject', async () => {
    const tenant = await vault.makeTenant();
    const text = makeText(5_000);
    const path = folder.path('stopped.ndjson');
    const first = await folder.import(vault, tenant, { text, path, ...stopAfterFirstBatch() });
    expect(first).toMatchObject({ isFinished: false, line: 1_000, imported: 999, rejected: 1 });
    expect(await countTokens(tenant)).toEqual({ count: 999 });

    await expect(folder.import(vault, tenant, { text, path })).rejects.toThrow(
      'stopped after line 1000, with 999 tokens imported. Continue with --resume.',
    );
    const second = await folder.import(vault, tenant, { text, path, isResumed: true });
    expect(second).toMatchObject({ isFinished: true, imported: 4_995, rejected: 5, resumedAt: 1_000 });
    expect(second.rejects.map(({ line }) => line)).toEqual([501, 1_501, 2_501, 3_501, 4_501]);
    expect(await countTokens(tenant)).toEqual({ count: 4_995 });
  });

  it('drops what was written about a batch that was not committed', async () => {
    const tenant = await vault.makeTenant();
    const text = makeText(3_000);
    const path = folder.path('uncommitted.ndjson');
    await folder.import(vault, tenant, { text, path, ...stopAfterFirstBatch() });
    const rejects = `${path}.rejects`;
    await appendFile(rejects, `${JSON.stringify({ line: 1_501, offset: 1, code: 'x', reason: 'x' })}\n{"line":15`);
    await folder.import(vault, tenant, { text, path, isResumed: true });
    const lines = (await readFile(rejects, 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([501, 1_501, 2_501]);
  });

  it('is not resumed with another map', async () => {
    const tenant = await vault.makeTenant();
    const text = makeText(2_000);
    const path = folder.path('other-map.ndjson');
    await folder.import(vault, tenant, { text, path, ...stopAfterFirstBatch() });
    await expect(folder.import(vault, tenant, { text, path, isResumed: true, set: ['type=token'] })).rejects.toThrow(
      'started with a different format, map',
    );
  });

  it('is not resumed with a file that was changed, nor one that was never begun', async () => {
    const tenant = await vault.makeTenant();
    const path = folder.path('changed.ndjson');
    await folder.import(vault, tenant, { text: makeText(2_000), path, ...stopAfterFirstBatch() });
    const rejects = await readFile(`${path}.rejects`, 'utf8');
    const changed = makeText(2_000).replace('value 1999', 'value 2000');
    await expect(folder.import(vault, tenant, { text: changed, path, isResumed: true })).rejects.toThrow(
      'omit --resume',
    );
    expect(await countTokens(tenant)).toEqual({ count: 999 });
    expect(await readFile(`${path}.rejects`, 'utf8')).toBe(rejects);
    await expect(folder.import(vault, tenant, { text: changed, path })).rejects.toThrow('already exists');
    await expect(folder.import(vault, tenant, { text: changed, isResumed: true, isRepeated: true })).rejects.toThrow(
      'Use only one of them',
    );
  });

  it('touches neither a file that is something else, nor one behind a link', async () => {
    const tenant = await vault.makeTenant();
    const text = makeText(2_000);
    const path = folder.path('foreign.ndjson');
    await folder.import(vault, tenant, { text, path, ...stopAfterFirstBatch() });
    const resume = (rejectsPath: string) => folder.import(vault, tenant, { text, path, rejectsPath, isResumed: true });
    const foreign = folder.path('foreign');
    await writeFile(foreign, 'something else\n');
    await expect(resume(foreign)).rejects.toThrow('does not contain the rejects of an import');
    const link = folder.path('link');
    await symlink(`${path}.rejects`, link);
    await expect(resume(link)).rejects.toThrow('is a symbolic link');
    const dangling = folder.path('dangling');
    await symlink(folder.path('nowhere'), dangling);
    await expect(folder.import(vault, tenant, { text: 'x', rejectsPath: dangling })).rejects.toThrow('already exists');
    expect(await readFile(foreign, 'utf8')).toBe('something else\n');
    expect(await resume(`${path}.rejects`)).toMatchObject({ isFinished: true, rejected: 2 });
  });

  it('is not called finished where the database has lost its end', async () => {
    const tenant = await vault.makeTenant();
    const tenantId = parseTenantId(tenant.id);
    const { database, keyring } = vault.server.core;
    const tokenImport = new TokenImport({ database, keyring, tenantId });
    const identity = await tokenImport.identify(Buffer.alloc(32), 'any');
    await tokenImport.begin(identity, { isRepeated: false });
    const rejects = await RejectFile.begin(folder.path('lost.rejects'));
    const writer = new VaultWriter({ database, tenantId, source: identity.source, rejects });
    await expect(writer.finish({ position: 10, line: 1, imported: 1, rejected: 0 })).rejects.toThrow('with --resume');
    await expect(writer.finish({ ...nothingYet, imported: 1 })).rejects.toThrow('with --resume');
    const resumed = { isResumed: true, isRepeated: false };
    expect(await tokenImport.findState(identity, resumed)).toMatchObject({ isFinished: false });
    await writer.finish(nothingYet);
    expect(await tokenImport.findState(identity, resumed)).toMatchObject({ isFinished: true });
    await expect(tokenImport.begin(identity, { isRepeated: false })).rejects.toThrow('Another process is importing');
  });
});

describe('an import that is finished', () => {
  it('is not done twice by mistake', async () => {
    const tenant = await vault.makeTenant();
    const text = makeText(10);
    const path = folder.path('twice.ndjson');
    await folder.import(vault, tenant, { text, path });
    await expect(folder.import(vault, tenant, { text, path })).rejects.toThrow('has already been imported: 10 tokens');
    expect(await folder.import(vault, tenant, { text, path, isResumed: true })).toMatchObject({ imported: 10 });
    expect(await countTokens(tenant)).toEqual({ count: 10 });
    expect(await folder.import(vault, tenant, { text, path, isRepeated: true })).toMatchObject({
      imported: 5,
      rejected: 5,
    });
  });

  it('may be done in another tenant', async () => {
    const text = makeText(10);
    await folder.import(vault, await vault.makeTenant(), { text });
    expect(await folder.import(vault, await vault.makeTenant(), { text })).toMatchObject({ imported: 10 });
  });
});

describe('two imports of one file at once', () => {
  it.each([false, true])('import it once (resumed: %s)', async (isResumed) => {
    const tenant = await vault.makeTenant();
    const text = makeText(2_000);
    if (isResumed) await folder.import(vault, tenant, { text, ...stopAfterFirstBatch() });
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) =>
        folder.import(vault, tenant, { text, path: folder.path(`${name}-${isResumed}`), isResumed }),
      ),
    );
    expect(outcomes.map(({ status }) => status).filter((status) => status === 'fulfilled').length).toBeGreaterThan(0);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          message: expect.stringMatching(/nother process is importing|stopped after line|already been imported/),
        });
    }
    expect(await countTokens(tenant)).toEqual({ count: 1_998 });
  });
});
