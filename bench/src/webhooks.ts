import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchVault } from './bench-vault.ts';
import { measureCreates, printCosts } from './cost-of-creates.ts';
import { settingsFor, startDestinations } from './start-destinations.ts';
import { untilSealed } from './until-sealed.ts';

/*
 * Measures what webhooks cost creates. It compares a vault without webhooks with one whose webhook is subscribed to every
 * type of event, one event a request, and one with a hundred a request. Each vault has a worker, and each turn ends when
 * everything is delivered. Workers and the receiver give way to the server and the database, as if they had machines of
 * their own. What remains is what they cost the database. Requires wrk.
 */
const ratioMin = 0.95;
const pollMs = 100;

const { process: receiver, destinations } = await startDestinations();
setPriority(receiver.pid ?? 0, constants.priority.PRIORITY_LOW);

async function start(batchSize: number | undefined): Promise<BenchVault> {
  const vault = await BenchVault.start('apart', settingsFor(destinations));
  (await vault.startWorker()).yieldToOthers();
  if (batchSize === undefined) return vault;
  const events: unknown = JSON.parse(await vault.request('GET', '/webhooks/event-types'));
  const url = `https://${destinations.host}:${destinations.port}/`;
  await vault.request('POST', '/webhooks', { name: 'Bench', url, events, batch_size: batchSize }, vault.managementKey);
  return vault;
}

/** Waits until every record is sealed and every event delivered. */
async function settle(vault: BenchVault): Promise<void> {
  await untilSealed(vault);
  await vault.withDatabase(async (client) => {
    for (;;) {
      const { rows } = await client.query<{ waiting: boolean }>(
        `select exists (
            select from webhook_positions p where p.position < (
              select max(c.tree_size) from audit_checkpoints c where c.tenant_id = p.tenant_id)) as waiting`,
      );
      if (rows[0]?.waiting !== true) return;
      await pause(pollMs);
    }
  });
}

/** Returns how many events a webhook has got, and how many are still waiting because a request failed. */
async function countDelivered(vault: BenchVault): Promise<{ delivered: number; waiting: number }> {
  return vault.withDatabase(async (client) => {
    const { rows } = await client.query<{ delivered: number; waiting: number }>(
      `select coalesce(sum(cardinality(event_ids)) filter (where status = 'delivered'), 0)::int as delivered,
        (count(*) filter (where status <> 'delivered'))::int as waiting from webhook_deliveries`,
    );
    return rows[0] ?? { delivered: 0, waiting: 0 };
  });
}

const vaults = { off: await start(undefined), single: await start(1), batches: await start(100) };
const costs = await measureCreates(
  vaults,
  () => 0,
  async (vault) => {
    await settle(vault);
    if (vault === vaults.off) return;
    const { delivered, waiting } = await countDelivered(vault);
    if (delivered === 0 || waiting > 0) throw new Error(`${delivered} events are delivered, and ${waiting} are not.`);
  },
);
printCosts(costs);
receiver.kill();
await once(receiver, 'exit');
if (costs.some(({ throughput_ratio }) => throughput_ratio < ratioMin)) process.exitCode = 1;
