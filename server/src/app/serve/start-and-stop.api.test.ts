import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { plainServing, TestVault } from '../../../test/harness/test-vault.ts';
import { defaultThresholds } from '../../platform/audit/watch/alert-rule.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { VaultWorker } from './vault-worker.ts';
import { VaultServer } from './vault-server.ts';

const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

let vault: TestVault;
let occupant: Server;
let takenPort: number;

beforeAll(async () => {
  vault = await TestVault.start();
  await vault.server.stop();
  occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  takenPort = (occupant.address() as AddressInfo).port;
});
afterAll(async () => {
  occupant.close();
  await vault.stop();
});

/** Counts the connections to the database of this test, except the one that runs this query. */
async function countConnections(): Promise<number> {
  const { rows } = await vault.database.owner.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and application_name like 'strongroom%'`,
  );
  return rows[0]?.count ?? 0;
}

const untilAlone = () => untilTrue(async () => (await countConnections()) === 0, { waitingFor: 'the last connection' });

const workerConfig = (port: number) => ({
  ...vault.config,
  audit: {
    retentionMonths: 13,
    anchorFile: undefined,
    anchorUrl: undefined,
    backupDays: undefined,
    archive: undefined,
    evidenceMonths: undefined,
    alerts: defaultThresholds,
  },
  logStreams: [],
  admin: { host: '127.0.0.1', port },
  mail: { publicUrl: undefined, smtp: undefined },
  traces: undefined,
  outbound: vault.outbound,
});

const serverConfig = (ports: { port: number; adminPort: number }) => ({
  ...vault.config,
  ...plainServing,
  listen: { publicUrl: 'http://localhost', host: '127.0.0.1', adminHost: '127.0.0.1', ...ports },
  limits: vault.limits,
  outbound: vault.outbound,
});

describe('a start that fails halfway', () => {
  it.each([
    [
      'server on a port that is taken',
      () => VaultServer.start(serverConfig({ port: takenPort, adminPort: 0 }), silent),
    ],
    [
      'server on an admin port that is taken',
      () => VaultServer.start(serverConfig({ port: 0, adminPort: takenPort }), silent),
    ],
    ['worker on an admin port that is taken', () => VaultWorker.start(workerConfig(takenPort), silent)],
  ])('leaves no connection behind: %s', async (_name, start) => {
    await expect(start()).rejects.toThrow(`Port ${takenPort} is already in use`);
    await untilAlone();
  });
});

describe('a worker whose database connections were cut', () => {
  it('closes everything when it stops, twice if asked to', async () => {
    const worker = await VaultWorker.start(workerConfig(0), silent);
    expect(await countConnections()).toBeGreaterThan(0);
    await vault.database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'strongroom%'`,
    );
    await Promise.allSettled([worker.stop(), worker.stop()]);
    await expect(fetch(`${worker.adminUrl}/livez`)).rejects.toThrow('fetch failed');
    await untilAlone();
  });
});
