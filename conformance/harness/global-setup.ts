import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { findFreePort } from '../../server/src/platform/local-postgres/free-port.ts';
import { isLaunched, Program } from '../../server/test/harness/program.ts';
import { createDatabase } from './create-database.ts';
import { EchoDestination } from './echo-destination.ts';
import { Mailbox } from './mailbox.ts';
import { startServedVault } from './served-vault.ts';
import type { VaultAddress } from './vault-address.ts';
import { watchVault } from './watched-vault.ts';

/**
 * Limits that are too high to be reached. All requests come from one address. Many have invalid keys, which would be
 * counted even with `off`.
 */
const beyondReach = ['global', 'token-write', 'token-list', 'token-search', 'key-guessing', 'mail']
  .map((limit) => `${limit}=100000`)
  .join(',');

/**
 * Starts two vaults as a user would, each on a fresh database and outside this process. One is for development, with
 * limits that are never reached. The other runs as in production, with default limits and a mail server. No service has
 * to be started beforehand. Every response of the first vault is checked against its API description.
 * `PROGRAM_LAUNCHER` names another program to start them with, such as one that runs an image.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const undo: (() => Promise<void>)[] = [() => Program.killAll()];
  const stop = async () => {
    for (const step of undo) await step();
  };
  try {
    const postgres = await LocalPostgres.start({
      password: randomBytes(16).toString('hex'),
      // The data is discarded afterwards, and the results of these suites do not depend on crash safety.
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
    });
    undo.push(() => postgres.stop());
    const destination = await EchoDestination.start();
    undo.push(() => destination.stop());
    const mailbox = await Mailbox.start();
    undo.push(() => mailbox.stop());
    project.provide('destinationUrl', destination.url);
    project.provide('mailboxUrl', mailbox.url);

    // The vaults start one at a time, because the first creates the roles that all databases of a cluster share.
    const general = { ...(await makeSettings(postgres, 'general')), STRONGROOM_RATE_LIMITS: beyondReach };
    // An image has no development mode, so in that case the first vault also runs as in production.
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

/** Starts a vault as in production, but with a development tenant and local addresses. */
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

/** The output of `strongroom dev --json`. */
interface Announcement extends Pick<VaultAddress, 'url' | 'keys'> {
  readonly tenant_id: string;
  readonly elements_url: string;
}
