import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { DatabaseNode } from './database-node.ts';
import { ports } from './ports.ts';

const patienceSeconds = 20;
const noticedMs = 5_000;

/**
 * What somebody has to do who runs Patroni 3.0.2, as the page about it says. After it was frozen, the primary's Patroni can believe for
 * ever that somebody else has changed which standby is synchronous: it is restarted, and PostgreSQL is not. If a primary comes back in
 * the moment in which another one is promoted, standbys can be left on a timeline that nobody continues: they are copied again.
 */
export class Operator {
  readonly #cluster: Cluster;
  #since: number | undefined;
  readonly acts: string[] = [];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async look(): Promise<void> {
    const members = await this.#cluster.members();
    const isWithoutStandby =
      members.length === this.#cluster.databases.length &&
      members.every(({ state }) => state === 'running' || state === 'streaming') &&
      !members.some(({ role }) => role === 'sync_standby');
    if (!isWithoutStandby) {
      this.#since = undefined;
      return;
    }
    this.#since ??= performance.now();
    if (performance.now() - this.#since < patienceSeconds * 1_000) return;
    this.#since = undefined;
    const left = await this.#findLeftBehind();
    if (left.length > 0) for (const node of left) await this.#copyAgain(node);
    else await this.#restartPatroni();
  }

  /** Standbys that the primary does not send anything to. */
  async #findLeftBehind(): Promise<DatabaseNode[]> {
    const rows = await this.#cluster.query<{ name: string }>(
      'select application_name as name from pg_stat_replication',
      'postgres',
    );
    const served = new Set(rows.map(({ name }) => name));
    return (await this.#cluster.standbys()).filter(({ host }) => !served.has(host.name));
  }

  async #copyAgain({ host }: DatabaseNode): Promise<void> {
    await fetch(`http://${host.address}:${ports.patroni}/reinitialize`, {
      method: 'POST',
      body: JSON.stringify({ force: true }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    this.acts.push(`copied ${host.name} again`);
    // Patroni says so only with its next look.
    await pause(noticedMs);
  }

  async #restartPatroni(): Promise<void> {
    const primary = await this.#cluster.primary();
    await primary?.patroni.stop('SIGKILL');
    await primary?.patroni.start();
    this.acts.push('restarted Patroni');
  }
}
