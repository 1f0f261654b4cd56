import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { WireRelay } from '../../../test/harness/wire-relay.ts';
import { defaultThresholds } from '../../platform/audit/watch/alert-rule.ts';
import type { LogFields } from '../../platform/telemetry/logger.ts';
import { VaultWorker } from './vault-worker.ts';

/** The lines that the worker has logged. */
const workerLines: string[] = [];
let real: TestDatabase;
let relay: WireRelay;
let vault: TestVault;
let worker: VaultWorker;
let tenant: TestTenant;
beforeAll(async () => {
  real = await createTestDatabase();
  relay = await WireRelay.start(real.url, {});
  vault = await TestVault.start(undefined, { database: openTestDatabase(relay.urlOf(real.url)) });
  const keep = (message: string, fields?: LogFields) => void workerLines.push(JSON.stringify({ message, ...fields }));
  worker = await VaultWorker.start(
    {
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
      admin: { host: '127.0.0.1', port: 0 },
      mail: { publicUrl: undefined, smtp: undefined },
      traces: undefined,
      outbound: vault.outbound,
    },
    { info: keep, warn: keep, error: keep },
  );
  tenant = await vault.makeTenant();
});
afterAll(async () => {
  await worker.stop();
  await vault.stop();
  await relay.stop();
  await real.drop();
});

const lost = 'database unreachable: ';
const count = (lines: readonly string[], text: string) => lines.filter((line) => line.includes(text)).length;
const untilLogged = (lines: readonly string[], text: string) =>
  untilTrue(() => lines.some((line) => line.includes(text)), { waitingFor: `a line about "${text}"` });

describe('a database that goes away and comes back', () => {
  it('is one line each in the log of a server and of a worker, however much fails in between', async () => {
    const port = Number(new URL(relay.urlOf(real.url)).port);
    await relay.stop();
    // No request was sent, but the server and the worker still notice the outage.
    for (const lines of [vault.logLines, workerLines]) await untilLogged(lines, lost);

    const key = tenant.keys.private;
    const asked = Array.from({ length: 30 }, (_, index) =>
      index % 3 === 0
        ? vault.request('GET', '/tokens/none', { key })
        : index % 3 === 1
          ? vault.request('POST', '/tokens', { key, body: { type: 'token', data: 1 } })
          : vault.request('GET', '/portal/', { headers: { cookie: `__Host-strongroom_session=${'1'.repeat(44)}` } }),
    );
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([503]));

    relay = await WireRelay.start(real.url, { port });
    for (const lines of [vault.logLines, workerLines]) await untilLogged(lines, 'database back');
    expect((await vault.request('POST', '/tokens', { key, body: { type: 'token', data: 1 } })).status).toBe(201);

    for (const lines of [vault.logLines, workerLines]) {
      expect([count(lines, lost), count(lines, 'database back'), count(lines, 'stack')]).toEqual([1, 1, 0]);
      expect(lines.find((line) => line.includes(lost))).toMatch(/connection (closed|refused).*STRONGROOM_DATABASE_URL/);
    }
    expect(count(vault.logLines, '"status":503')).toBe(30);
    for (const noise of ['sealing failed', 'job queue unavailable', 'request failed']) {
      expect(count([...vault.logLines, ...workerLines], noise)).toBe(0);
    }
  });
});
