import type { Cluster } from './cluster.ts';

const patienceSeconds = 20;

/**
 * What somebody has to do who runs Patroni 3.0.2: after the primary's Patroni was frozen, it can believe for ever that somebody else
 * has changed which standby is synchronous, and names none. The vault goes on, but nobody could take over. It is restarted, as the
 * runbook for a lost standby says; PostgreSQL is not.
 */
export class Operator {
  readonly #cluster: Cluster;
  #since: number | undefined;
  hasActed = false;

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
    const primary = await this.#cluster.primary();
    await primary?.patroni.stop('SIGKILL');
    await primary?.patroni.start();
    this.#since = undefined;
    this.hasActed = true;
  }
}
