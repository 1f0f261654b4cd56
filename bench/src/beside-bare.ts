import { BenchVault } from './bench-vault.ts';
import { cardOf, fill } from './fill.ts';
import { BareDatabase } from './pgbench.ts';
import { watchCircumstances } from './results.ts';

/**
 * Starts a filled vault with servers and a worker, beside a copy of its database that nothing else uses. Everything
 * that is measured in one run shares these.
 */
export async function startBesideBare(
  { tokens, servers }: { readonly tokens: number; readonly servers: number },
  postgresSettings: Readonly<Record<string, string>> = {},
) {
  const vault = await BenchVault.start('apart', {}, postgresSettings);
  const finish = watchCircumstances(vault.postgres.version);
  await fill(vault, tokens, cardOf);
  await fill(vault, tokens);
  await vault.settle();
  await vault.stopServers();
  const bare = await BareDatabase.copy(vault);
  for (let index = 0; index < servers; index += 1) await vault.startServer();
  const worker = await vault.startWorker();
  return { vault, bare, worker, finish };
}
