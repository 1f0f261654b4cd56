import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { KeyManagement } from '../../src/app/operations/key-management.ts';
import { parseTenantId, type TenantId } from '../../src/core/identity/ids.ts';
import { sealedTokens } from '../../src/features/tokens/index.ts';
import { readVaultConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { TokenLoad } from '../harness/token-load.ts';

/** `npm run test:rotation` runs the long form: a million tokens and a hundred kills. */
const tokenCount = Number(process.env['ROTATION_TOKENS'] ?? 1_000);
const killCount = Number(process.env['ROTATION_KILLS'] ?? 2);
const rate = Number(process.env['ROTATION_RATE'] ?? 1_000);
/** The pause between the requests of each caller. The long form has none. */
const pauseMs = Number(process.env['ROTATION_PAUSE_MS'] ?? 50);
const hourMs = 3_600_000;

let database: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'http://localhost',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_LOG_LEVEL: 'error',
    STRONGROOM_RATE_LIMITS: 'off',
  };
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

async function rowsRead(): Promise<number> {
  const { rows } = await database.owner.query<{ read: string }>(
    `select coalesce(sum(rows_read), 0) as read from reencryptions where source = 'tokens'`,
  );
  return Number(rows[0]?.read);
}

/** Opens every token with the current keys and compares it with the last acknowledged value. */
function compareAll(tenantId: TenantId, values: ReadonlyMap<string, string>) {
  return KeyManagement.with(readVaultConfig(settings), async ({ core }) => {
    const keys = await core.keyring.forTenant(tenantId);
    let compared = 0;
    const wrong: string[] = [];
    for (let after = ''; ; ) {
      const page = { after, limit: 1_000, version: -1 };
      const rows = await core.database.forTenant(tenantId, (tx) => sealedTokens.list(tx, tenantId, page));
      for (const { position, sealed, binding } of rows) {
        if (sealed === null || keys.open(sealed, binding) !== JSON.stringify(values.get(position)))
          wrong.push(position);
      }
      compared += rows.length;
      after = rows.at(-1)?.position ?? after;
      if (rows.length < page.limit) return { compared, wrong };
    }
  });
}

describe('re-encryption under load', () => {
  it(`of ${tokenCount} tokens loses and alters nothing over ${killCount} kills`, { timeout: 2 * hourMs }, async () => {
    const server = Program.start(['serve', '--json'], settings);
    const { url } = await server.ready<{ url: string }>();
    const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
    const tenant = JSON.parse(stdout) as { tenant_id: string; keys: { management: string } };
    const tenantId = parseTenantId(tenant.tenant_id);
    const load = await TokenLoad.create(() => url, tenant.keys.management);
    await load.fill(tokenCount);
    load.start(8, { pauseMs });
    const keys = ['keys', 'reencrypt', '--tenant', tenantId, '--rate', String(rate), '--json'];
    expect((await Program.run(['keys', 'rotate', 'data', '--tenant', tenantId], settings)).code).toBe(0);

    for (let kill = 0; kill < killCount; kill += 1) {
      const job = Program.start(keys, settings);
      // The kills are spread over the walk, so that the last one happens near its end.
      const goal = (tokenCount * (kill + Math.random())) / (killCount + 1);
      await expect.poll(rowsRead, { interval: 50, timeout: hourMs }).toBeGreaterThan(goal);
      await job.stop('SIGKILL');
    }
    const last = await Program.run(keys, settings);
    expect(last.code).toBe(0);
    expect(JSON.parse(last.stdout)).toMatchObject({ version: 2, unreadable: [] });
    await load.stop();

    expect(load.failures).toEqual([]);
    expect(load.done).toBeGreaterThan(100);
    const { compared, wrong } = await compareAll(tenantId, load.values);
    expect(wrong).toEqual([]);
    expect(compared).toBe(load.values.size);
    const { rows } = await database.owner.query('select from tokens where key_version(data) <> 2');
    expect(rows.length).toBe(0);
  });
});
