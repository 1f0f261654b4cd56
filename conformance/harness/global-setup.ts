import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { findFreePort } from '../../server/src/platform/local-postgres/free-port.ts';
import { isLaunched, Program } from '../../server/test/harness/program.ts';
import { createDatabase } from './create-database.ts';
import { EchoDestination } from './echo-destination.ts';
import { Mailbox } from './mailbox.ts';
import { startServedVault } from './served-vault.ts';
import type { VaultAddress } from './vault-address.ts';
import { watchVault } from './watched-vault.ts';

/** Everything comes from one address here, and much of it with keys that nobody has; `off` would still count those. */
const beyondReach = ['global', 'token-write', 'token-list', 'token-search', 'key-guessing', 'mail']
  .map((limit) => `${limit}=100000`)
  .join(',');

/**
 * Starts two vaults as a user would, each on a fresh database and outside this process: one for development, with limits
 * beyond reach, and one as in production, with its limits and a mail server. Nothing has to run beforehand. Every response
 * of the first is held against the description of its API. `PROGRAM_LAUNCHER` names another program to start them with,
 * such as one that runs an image.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [() => Program.killAll()];
  const stop = async () => {
    for (const step of undo) await step();
  };
  try {
    const postgres = await LocalPostgres.start({
      password: randomBytes(16).toString('hex'),
      // Throw-away data: what these suites show does not depend on its surviving a crash.
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
    });
    undo.push(() => postgres.stop());
    const destination = await EchoDestination.start();
    undo.push(() => destination.stop());
    const mailbox = await Mailbox.start();
    undo.push(() => mailbox.stop());
    project.provide('destinationUrl', destination.url);
    project.provide('mailboxUrl', mailbox.url);

    // One after the other: the first makes the roles that all databases of a cluster share.
    const general = { ...(await makeSettings(postgres, 'general')), STRONGROOM_RATE_LIMITS: beyondReach };
    // In a container there is nothing for development: the vault is then one as in production, too.
    const startVault = isLaunched ? startLocalVault : startDevelopmentVault;
    const watched = await watchVault(await startVault({ ...general, ...destination.settings }));
    undo.unshift(() => watched.stop());
    project.provide('vault', watched.vault);
    const limited = { ...(await makeSettings(postgres, 'limited')), STRONGROOM_TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
    project.provide(
      'limitedVault',
      await startServedVault({ ...limited, ...mailbox.settings }, { name: 'Limited', type: 'production' }),
    );
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDevelopmentVault(settings: VaultAddress['settings']): Promise<VaultAddress> {
  const command = ['dev', '--port', '0', '--json', '--use-database', 'general'];
  const announced = await Program.start(command, settings).ready<Announcement>();
  const { url, elements_url: elementsUrl, tenant_id: tenantId, keys } = announced;
  return { url, elementsUrl, tenantId, keys, settings };
}

/** Served as in production, with the tenant of one for development and the addresses that it has on this machine. */
async function startLocalVault(settings: VaultAddress['settings']): Promise<VaultAddress> {
  const [port, elementsPort] = [await findFreePort(), await findFreePort()];
  const addresses = {
    STRONGROOM_PUBLIC_URL: `http://localhost:${port}`,
    STRONGROOM_PORT: String(port),
    STRONGROOM_ELEMENTS_URL: `http://localhost:${elementsPort}`,
    STRONGROOM_ELEMENTS_PORT: String(elementsPort),
  };
  return startServedVault({ ...settings, ...addresses }, { name: 'Development', type: 'test' });
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
  readonly elements_url: string;
}
