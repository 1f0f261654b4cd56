import { parseTenantId } from '../../core/identity/ids.ts';
import { SeededRandom } from '../../core/random/seeded-random.ts';
import { defaultThresholds } from '../../platform/audit/watch/alert-rule.ts';
import { recordAlert } from '../../platform/audit/watch/alert-store.ts';
import type { ServerConfig } from '../../platform/config/config.ts';
import { EchoDestination } from '../../platform/loopback/echo-destination.ts';
import { LoopbackClient } from '../../platform/loopback/loopback-client.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { createDevelopmentTenant, type DevelopmentTenant } from './development-tenant.ts';
import type { VaultCore } from '../wiring/vault-core.ts';
import { VaultServer } from '../serve/vault-server.ts';
import { acquirerHost } from './seed-applications.ts';
import { SeedCalendar } from './seed-calendar.ts';
import { createCustomers } from './seed-customers.ts';
import { invitePending, seedMembers } from './seed-members.ts';
import { moveIntoPast, type SeedPast } from './seed-past-store.ts';
import { createSeedPlan, type SeedPlan } from './seed-plan.ts';
import { SeedRunner } from './seed-runner.ts';

const seed = 7;
const days = 30;
const customersCount = 200;
const loopback = { text: '127.0.0.1/32', base: Uint8Array.of(127, 0, 0, 1), prefixBits: 32 };

/**
 * Creates a tenant with a month of history: applications, customers and everything that was done with them. All of it
 * goes through the API of a server that nobody else calls, so that the product itself writes every record. Afterwards
 * the history is moved into the past, before a worker seals it.
 */
export async function createSeededTenant(
  config: ServerConfig,
  logger: Logger,
  { mayInvite, now = new Date() }: { readonly mayInvite: boolean; readonly now?: Date },
): Promise<DevelopmentTenant> {
  const random = new SeededRandom(seed);
  const calendar = new SeedCalendar({ now, days, random });
  const customers = createCustomers(customersCount, now.getUTCFullYear(), random);
  const { tenant, past } = await withServer(config, logger, async ({ server, acquirerUrl }) => {
    const plan = createSeedPlan({ customers, calendar, random, acquirerUrl });
    return fill(server, { plan, calendar, mayInvite });
  });
  await moveIntoPast(config.database.ownerUrl, past);
  return tenant;
}

/** Runs work with a temporary server and stops it afterwards. Records may still be written until it has stopped. */
async function withServer<T>(
  config: ServerConfig,
  logger: Logger,
  work: (parts: { readonly server: VaultServer; readonly acquirerUrl: string }) => Promise<T>,
): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    const acquirer = opened.adopt(await EchoDestination.start(acquirerHost), (it) => it.stop());
    const server = opened.adopt(await VaultServer.start(toSeedConfig(config, acquirer), logger), (it) => it.stop());
    return await work({ server, acquirerUrl: acquirer.url });
  } finally {
    await opened.disposeAsync();
  }
}

/** Returns a configuration with its own port and no request limits, which trusts the client addresses in requests. */
function toSeedConfig(config: ServerConfig, { destination }: EchoDestination): ServerConfig {
  return {
    ...config,
    listen: { ...config.listen, port: 0 },
    elements: undefined,
    limits: { ...config.limits, countsRequests: false, trustedProxies: [loopback], redisUrl: undefined },
    outbound: { ...config.outbound, ownDestination: destination, requiresDestinationList: false },
  };
}

async function fill(
  server: VaultServer,
  { plan, calendar, mayInvite }: { plan: SeedPlan; calendar: SeedCalendar; mayInvite: boolean },
): Promise<{ tenant: DevelopmentTenant; past: SeedPast }> {
  const { startsAt } = calendar;
  const tenant = await createDevelopmentTenant(server.core);
  const client = new LoopbackClient(server.url);
  try {
    const runner = new SeedRunner(client, tenant.keys.management);
    await runner.run(plan, startsAt);
    await seedMembers(server.core, runner, { tenantId: tenant.id, startsAt });
    if (mayInvite) await invitePending(runner, calendar.at(1, 14, 5));
    const { retiredKeyId } = runner;
    await raiseAlert(server.core, { tenant: tenant.id, keyId: retiredKeyId, incident: plan.incident });
    const systemTimes = new Map([[`alert ${retiredKeyId}`, plan.incident.alertAt]]);
    const past = { tenantId: tenant.id, times: runner.times, startsAt, systemTimes };
    return { tenant: { ...tenant, seeded: runner.keys }, past };
  } finally {
    client.close();
  }
}

/**
 * Records the alert that a worker would have raised at that time. A worker that ran now would see all the requests
 * within a few seconds.
 */
async function raiseAlert(
  { database }: VaultCore,
  { tenant, keyId, incident }: { tenant: string; keyId: string; incident: SeedPlan['incident'] },
): Promise<void> {
  const tenantId = parseTenantId(tenant);
  const { windowMinutes, misses: count } = defaultThresholds;
  const alert = {
    tenantId,
    keyId,
    isUser: false,
    rule: 'misses',
    count,
    from: incident.windowFrom,
    raisedAt: incident.alertAt,
  } as const;
  await database.forTenant(tenantId, (tx) => recordAlert(tx, tenantId, alert, windowMinutes));
}
