import { parseArgs } from 'node:util';
import { cardOf, fill } from './fill.ts';
import { median } from './median.ts';
import { startVaultOn } from './node-databases.ts';
import { countWork, type CountedWork } from './node-work.ts';
import { toWorkTables } from './node-work-tables.ts';
import { withClient } from './with-client.ts';
import { runWrk } from './wrk.ts';

/*
 * What a vault costs on several databases. `npm run nodes` counts the work of 10,000 creates and reads on every database, with 1, 2,
 * 4 and 8 nodes. Clients are as many for each node (`--clients-per-node`), so that the load grows with the vault, or as many in all
 * (`--clients`), so that nodes share one load. `npm run nodes -- --throughput` compares a vault with one database to one with two
 * nodes, in turns; all of them share this machine, so that is cost and not gain.
 */
const { values } = parseArgs({
  options: {
    throughput: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '1,2,4,8' },
    requests: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '64' },
    'clients-per-node': { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests);

async function countOnAll(): Promise<void> {
  const counted: CountedWork[] = [];
  for (const nodes of values.nodes.split(',').map(Number)) {
    const perNode = values['clients-per-node'];
    const clients = perNode === undefined ? Number(values.clients) : Number(perNode) * nodes;
    counted.push(...(await countWork({ nodes, clients, requests })));
    // Each as soon as it is there: a run that is stopped has shown what it has found.
    if (!values.json) process.stderr.write(`${toWorkTables(counted.slice(-2))}\n`);
  }
  process.stdout.write(values.json ? `${JSON.stringify(counted)}\n` : toWorkTables(counted));
}

async function compare(): Promise<void> {
  const kinds = [await startVaultOn(0), await startVaultOn(2)];
  const load = { connections: Number(values.clients), seconds: Number(values.seconds), tokens: requests };
  for (const { vault, nodes } of kinds) {
    await fill(vault, requests, cardOf);
    await vault.settle();
    for (const { postgres } of nodes.all) await withClient(postgres.url, (client) => client.query('vacuum analyze'));
  }
  for (const script of ['create-card', 'create-card-once', 'get-card']) {
    const measured: number[][] = kinds.map(() => []);
    for (let round = -1; round < Number(values.rounds); round += 1) {
      for (const [index, { vault }] of kinds.entries()) {
        const { perSecond } = await runWrk(vault, { ...load, script });
        if (round >= 0) measured[index]?.push(perSecond);
      }
    }
    const [plain = Number.NaN, spread = Number.NaN] = measured.map(median);
    process.stdout.write(
      `${script}: ${Math.round(plain)}/s on one database, ${Math.round(spread)}/s on two nodes, ${(spread / plain).toFixed(2)}×\n`,
    );
  }
  for (const { vault, nodes } of kinds) {
    await vault.stop();
    await nodes.stop();
  }
}

await (values.throughput ? compare() : countOnAll());
