import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { TokenPresenter, TokenStore, unlimitedSets } from '../../src/features/tokens/index.ts';
import { noCvcSealer } from '../../src/platform/keyring/sealing/cvc-sealer.ts';
import { untilTrue } from '../harness/deadline.ts';
import { ImportFolder, readJsonLines, toLines } from '../harness/import-file.ts';
import { Program } from '../harness/program.ts';
import { TestVault } from '../harness/test-vault.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';

/** `npm run test:import` runs the long form: 100,000 rows and twenty kills. */
const rows = Number(process.env['IMPORT_ROWS'] ?? 8_000);
const kills = Number(process.env['IMPORT_KILLS'] ?? 4);
const rootKey = generateRootKey();

let vault: TestVault;
let folder: ImportFolder;
beforeAll(async () => {
  vault = await TestVault.start(parseRootKey(rootKey));
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await Program.killAll();
  await vault.stop();
  await folder.remove();
});

/** Every third token has no id, so only its position in the file prevents a duplicate. Some tokens are rejected. */
const tokenOf = (index: number) => ({
  ...(index % 3 === 0 ? {} : { id: `killed-${index}` }),
  type: isBad(index) ? 'no such type' : 'token',
  data: `value ${index}`,
  metadata: { index: String(index) },
});
const isBad = (index: number) => index % 997 === 500;

it(`loses and doubles nothing when it is killed ${kills} times`, { timeout: 60_000 + rows * 5 }, async () => {
  const tenant = await vault.makeTenant();
  const file = folder.path('tokens.ndjson');
  await writeFile(file, toLines(...Array.from({ length: rows }, (_, index) => tokenOf(index))));
  const stoppedAt: number[] = [];
  for (let attempt = 0; attempt < kills; attempt += 1) {
    // An import that was killed before it began starts again from the beginning.
    const isBegun = await hasBegun(tenant.id);
    const importer = start(tenant.id, file, isBegun ? ['--resume'] : []);
    const ended = importer.exit();
    const before = await positionOf(tenant.id);
    // The import is killed at a random moment within the next batches.
    await Promise.race([ended, untilMoved(tenant.id, before)]);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
    importer.signal('SIGKILL');
    await ended;
    stoppedAt.push(await positionOf(tenant.id));
  }
  const { code } = await start(tenant.id, file, ['--resume']).exit();
  expect(code).toBe(1);
  expect(new Set(stoppedAt).size).toBeGreaterThan(1);

  const good = Array.from({ length: rows }, (_, index) => index).filter((index) => !isBad(index));
  expect(await openAll(tenant.id)).toEqual(good.map((index) => `value ${index}`));
  expect(await countsOf(tenant.id)).toEqual({ tokens: good.length, counted: good.length, recorded: good.length });
  const rejects = await readJsonLines(`${file}.rejects.ndjson`);
  expect(rejects.map(({ line }) => line)).toEqual(
    Array.from({ length: rows }, (_, index) => index).flatMap((index) => (isBad(index) ? [index + 1] : [])),
  );
});

function start(tenantId: string, file: string, more: readonly string[]) {
  const settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
  return Program.start(['import', '--tenant', tenantId, '--file', file, ...more], settings);
}

async function hasBegun(tenantId: string): Promise<boolean> {
  const { rows: found } = await vault.database.owner.query('select 1 from token_imports where tenant_id = $1', [
    tenantId,
  ]);
  return found.length > 0;
}

async function positionOf(tenantId: string): Promise<number> {
  const { rows: found } = await vault.database.owner.query<{ line: number }>(
    'select line::int from token_imports where tenant_id = $1',
    [tenantId],
  );
  return found[0]?.line ?? 0;
}

async function untilMoved(tenantId: string, from: number): Promise<void> {
  await untilTrue(async () => (await positionOf(tenantId)) > from, { waitingFor: 'the next batch' });
}

/** Returns the data of every token in the order of the file, opened with the tenant's keys. */
async function openAll(tenantId: string): Promise<unknown[]> {
  const id = parseTenantId(tenantId);
  const { database, keyring } = vault.server.core;
  const store = new TokenStore(database, unlimitedSets);
  const presenter = new TokenPresenter({
    keyring,
    cvcSealer: noCvcSealer,
    settings: { get: async () => ({ fingerprintVisibility: 'mask' }) },
  });
  const { rows: ids } = await vault.database.owner.query<{ id: string }>(
    `select id from tokens where tenant_id = $1 order by (metadata->>'index')::int, id`,
    [tenantId],
  );
  const open = async (row: { id: string }) => {
    const token = await store.find(id, row.id as never);
    return token === undefined ? undefined : (await presenter.open(token)).data.reveal();
  };
  const opened: unknown[] = [];
  // Tokens that are requested together are read together.
  for (let at = 0; at < ids.length; at += 100) {
    opened.push(...(await Promise.all(ids.slice(at, at + 100).map(open))));
  }
  return opened;
}

async function countsOf(tenantId: string) {
  const { rows: found } = await vault.database.owner.query(
    `select (select count(*) from tokens where tenant_id = $1)::int as tokens,
      (select sum(tokens) from token_counts where tenant_id = $1)::int as counted,
      (select count(*) from audit_records where tenant_id = $1 and operation = 'create' and entity_type = 'token')::int as recorded`,
    [tenantId],
  );
  return found[0] as unknown;
}
