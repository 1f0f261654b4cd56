import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Finding, runCheck, wholeRounds } from './check/check.ts';
import { checks } from './check/checks.ts';
import { readFinalState } from './check/final-state.ts';
import { whatIsStuck } from './check/settled.ts';
import { type FaultKind, nothingToHeal } from './injections/fault.ts';
import type { Injected } from './injections/injected.ts';
import { type Entry, History } from './load/history.ts';
import { Load } from './load/load.ts';
import { openVault } from './load/tenant.ts';
import { Random } from './random.ts';
import { Cluster } from './stage/cluster.ts';
import { Operator } from './stage/operator.ts';
import { StolenTime } from './stage/stolen-time.ts';
import { until } from './stage/until.ts';

export interface RoundOptions {
  readonly folder: string;
  /** The entry point of the vault's source. */
  readonly main: string;
  readonly seed: number;
  /** Requests that clients start per second. */
  readonly rate: number;
  /** False if the tenant has no webhooks. They double the work of a machine that plays the whole cluster. */
  readonly hasWebhooks: boolean;
  /** Seconds of load before the first fault. */
  readonly calmSeconds: number;
  readonly faults: readonly FaultKind[];
  /** Seconds after the last fault during which work may still be pending. */
  readonly settledSecondsMax: number;
  readonly say: (line: string) => void;
}

export interface RoundResult {
  readonly findings: readonly Finding[];
  readonly injected: readonly Injected[];
  readonly entries: readonly Entry[];
}

const healthySecondsMax = 300;

/** Starts a new vault and a load, injects one fault after another, and then runs all checks. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { folder, main, seed, rate, hasWebhooks, calmSeconds, faults, settledSecondsMax, say } = options;
  await mkdir(folder, { recursive: true });
  const random = new Random(seed);
  const stolenTime = new StolenTime();
  const marker = `plain${random.below(2 ** 32).toString(16)}value`;
  const cluster = await Cluster.start(folder, main);
  const tenant = await openVault(cluster, hasWebhooks);
  say('the vault is up');
  const history = new History(path.join(folder, 'history.ndjson'));
  const load = new Load({ url: cluster.url, tenant, history, seed: random.below(2 ** 32), rate, marker });
  await pause(calmSeconds * 1_000);
  const injected: Injected[] = [];
  for (const kind of faults) {
    const fault = await inject(cluster, kind, random.fork(), history);
    injected.push(fault);
    const seconds = ((fault.healthyAt - fault.beganAt) / 1_000).toFixed(1);
    const acts = fault.acts.length === 0 ? '' : `; an operator ${fault.acts.join(', ')}`;
    say(`${fault.name}: ${fault.isHealthy ? 'healthy' : 'STILL NOT HEALTHY'} after ${seconds} s${acts}`);
    // Otherwise, findings caused by this fault would be attributed to the next one.
    if (!fault.isHealthy) break;
    await pause(1_500);
  }
  await load.stop();
  const { entries } = history;
  say(`${entries.length} requests; checking`);
  const invited = entries.filter(({ operation, outcome }) => operation === 'invitation' && outcome === 'done');
  const stuck = await settle(
    cluster,
    invited.map(({ facts }) => String(facts['email'])),
    settledSecondsMax,
  );
  const state = await readFinalState(cluster, tenant);
  const slowness = stolenTime.slowness.bind(stolenTime);
  const evidence = { entries, injected, state, cluster, tenant, marker, stuck, slowness, say };
  const findings: Finding[] = injected.flatMap(({ name, trouble }) =>
    trouble === undefined ? [] : [{ check: wholeRounds, what: `${name}: ${trouble}` }],
  );
  for (const check of checks) findings.push(...(await runCheck(check, evidence)));
  stolenTime.stop();
  for (const finding of findings) history.note({ finding });
  await history.close();
  return { findings, injected, entries };
}

async function inject(cluster: Cluster, kind: FaultKind, random: Random, history: History): Promise<Injected> {
  const [least, most] = kind.lastsSeconds;
  const beganAt = Date.now();
  history.note({ fault: kind.name });
  const troubles: string[] = [];
  const heal = await kind.begin(cluster, random).catch((error: unknown) => {
    troubles.push(String(error));
    return nothingToHeal;
  });
  await pause((least + random.next() * (most - least)) * 1_000);
  await heal().catch((error: unknown) => troubles.push(String(error)));
  history.note({ healed: kind.name });
  const operator = new Operator(cluster);
  const isHealthy = await until(`everything to be healthy after: ${kind.name}`, healthySecondsMax, async () => {
    await operator.look();
    return cluster.isHealthy();
  }).then(
    () => true,
    () => false,
  );
  for (const act of operator.acts) history.note({ operator: act });
  const healthyAt = Date.now();
  const { name, failsNobody = false, makesTimeUnclear = false } = kind;
  const trouble = troubles.length === 0 ? {} : { trouble: troubles.join('; ') };
  return { name, beganAt, healthyAt, isHealthy, failsNobody, makesTimeUnclear, acts: operator.acts, ...trouble };
}

/** Waits until nothing is pending. Returns the work that is still pending after the time limit. */
async function settle(cluster: Cluster, invited: readonly string[], secondsMax: number): Promise<string[]> {
  let stuck: string[] = [];
  const isSettled = async () => {
    stuck = await whatIsStuck(cluster, invited);
    return stuck.length === 0;
  };
  await until('nothing to be stuck', secondsMax, isSettled).catch(() => undefined);
  return stuck;
}
