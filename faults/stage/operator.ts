import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { DatabaseNode } from './database-node.ts';
import { ports } from './ports.ts';

const patienceSeconds = 20;
/** The time is longer than a lease, because no standby may take over before the lease expires. */
const leaderlessSeconds = 40;
/** The time is longer than crash recovery takes. */
const brokenSeconds = 60;
const noticedMs = 5_000;
/** States of a machine that is up, or that will come up without help. */
const goodStates = ['running', 'streaming', 'creating replica'];

const archiveLookMs = 2_000;
/** Finds the segment that the primary last failed to archive, if it belongs to a timeline that has ended. */
const stuckSegment = `select last_failed_wal as segment from pg_stat_archiver
  where last_failed_time > coalesce(last_archived_time, '-infinity')
    and left(last_failed_wal, 8) < left(pg_walfile_name(pg_current_wal_lsn()), 8)`;

/**
 * Performs the repairs that an operator of Patroni 3.0.2 has to make, as the documentation describes. A database that
 * no longer starts is copied again. After a freeze, the primary's Patroni can be stuck in the belief that another
 * process changed the synchronous standby. Then Patroni is restarted, but PostgreSQL is not. The same is done if the
 * clock was set back while Patroni slept: it keeps sleeping, and no standby takes over from a primary that still
 * responds. If a primary returns while another one is being promoted, standbys can be left on an abandoned timeline.
 * They are copied again.
 */
export class Operator {
  readonly #cluster: Cluster;
  readonly #leaderless = new Patience(leaderlessSeconds);
  readonly #unconfirmed = new Patience(patienceSeconds);
  readonly #broken = new Patience(brokenSeconds);
  #archiveSeenAt = Number.NEGATIVE_INFINITY;
  readonly acts: string[] = [];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async look(): Promise<void> {
    await this.#unblockArchive();
    const members = await this.#cluster.members();
    const isRunning =
      members.length === this.#cluster.databases.length &&
      members.every(({ state }) => state === 'running' || state === 'streaming');
    const hasLeader = members.some(({ role }) => role === 'leader');
    if (this.#leaderless.isOver(members.length > 0 && !hasLeader)) {
      await this.#restartPatroni(await this.#cluster.writable());
    }
    const hasStandby = members.some(({ role }) => role === 'sync_standby');
    const broken = new Set(members.filter(({ state }) => !goodStates.includes(state)).map(({ name }) => name));
    if (this.#broken.isOver(hasLeader && broken.size > 0)) {
      for (const node of this.#cluster.databases) if (broken.has(node.host.name)) await this.#copyAgain(node);
    }
    if (!this.#unconfirmed.isOver(isRunning && hasLeader && !hasStandby)) return;
    const left = await this.#findLeftBehind();
    if (left.length > 0) for (const node of left) await this.#copyAgain(node);
    else await this.#restartPatroni(await this.#cluster.primary());
  }

  /**
   * Skips a segment that blocks the archive. A promoted primary may try to archive the end of the previous timeline,
   * which the old primary has already archived with unconfirmed writes. pgBackRest rejects that segment, and all
   * later segments wait behind it. The segment is not needed, because the new timeline begins with a copy of it.
   */
  async #unblockArchive(): Promise<void> {
    if (performance.now() - this.#archiveSeenAt < archiveLookMs) return;
    this.#archiveSeenAt = performance.now();
    const [stuck] = await this.#cluster.query<{ segment: string }>(stuckSegment, 'postgres').catch(() => []);
    if (stuck === undefined) return;
    const primary = await this.#cluster.primary();
    const isMarked = await primary?.markArchived(stuck.segment).then(
      () => true,
      // The segment is already marked, and the archiver has not checked since.
      () => false,
    );
    if (isMarked === true) this.acts.push(`passed over ${stuck.segment} in the archive`);
  }

  /** Finds standbys that the primary is not replicating to. */
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
    // Patroni reports the change only after its next check.
    await pause(noticedMs);
  }

  async #restartPatroni(primary: DatabaseNode | undefined): Promise<void> {
    if (primary === undefined) return;
    await primary.patroni.stop('SIGKILL');
    await primary.patroni.start();
    this.acts.push(`restarted Patroni on ${primary.host.name}`);
  }
}

/** Measures how long a condition has held before the operator acts. */
class Patience {
  readonly #seconds: number;
  #since: number | undefined;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /**
   * Returns true if the condition has held without interruption for longer than the limit. Call it repeatedly. The
   * measurement restarts after it has returned true.
   */
  isOver(isSo: boolean): boolean {
    this.#since = isSo ? (this.#since ?? performance.now()) : undefined;
    if (this.#since === undefined || performance.now() - this.#since < this.#seconds * 1_000) return false;
    this.#since = undefined;
    return true;
  }
}
