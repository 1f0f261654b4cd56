import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { Program } from '../../server/test/harness/program.ts';
import { createDatabase } from './create-database.ts';
import { EchoDestination } from './echo-destination.ts';
import { startServedVault } from './served-vault.ts';
import type { VaultAddress } from './vault-address.ts';

/**
 * Starts two vaults as a user would, each on a fresh database and outside this process: one for development, with nothing
 * counted, and one as in production, with its limits and a mail server. Nothing has to run beforehand.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, destination] = await Promise.all([
    LocalPostgres.start({
      password: randomBytes(16).toString('hex'),
      // Throw-away data: what these suites show does not depend on its surviving a crash.
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
    }),
    EchoDestination.start(),
  ]);

  // One after the other: the first makes the roles that all databases of a cluster share.
  const general = {
    ...(await makeSettings(postgres, 'general')),
    STRONGROOM_RATE_LIMITS: 'off',
    ...destination.settings,
  };
  const announced = Program.start(['dev', '--port', '0', '--json'], general).ready<Announcement>();
  const { url, tenant_id: tenantId, keys } = await announced;
  project.provide('vault', { url, tenantId, keys, settings: general });
  const limited = { ...(await makeSettings(postgres, 'limited')), STRONGROOM_TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
  const { vault, smtpPort } = await startServedVault(limited);
  project.provide('limitedVault', vault);
  project.provide('smtpPort', smtpPort);
  project.provide('destinationUrl', destination.url);

  return async () => {
    await Program.killAll();
    await Promise.all([postgres.stop(), destination.stop()]);
  };
}

async function makeSettings(postgres: LocalPostgres, database: string) {
  return {
    STRONGROOM_DATABASE_URL: await createDatabase(postgres, database),
    STRONGROOM_ROOT_KEY: generateRootKey(),
  };
}

/** What `strongroom dev --json` prints. */
interface Announcement extends Pick<VaultAddress, 'url' | 'keys'> {
  readonly tenant_id: string;
}
