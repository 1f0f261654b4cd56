import { nameOf } from '../../../core/errors/thrown.ts';
import { type Leaf, TreeTail } from '../../../platform/audit/follow/tree-tail.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WebhookSignatureKey } from '../../../platform/keyring/webhooks/webhook-signature-key.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { validSecrets } from '../model/webhook-secrets.ts';
import { WebhookStore } from '../model/webhook-store.ts';
import type { DeliveryMetrics } from './delivery-metrics.ts';
import { chooseDue } from './due-heads.ts';
import type { Endpoint, EndpointId, EndpointLookup } from './endpoint-lookup.ts';
import { EndpointPass, type Outgoing } from './endpoint-pass.ts';
import { failuresMax, probeDelay } from './retry-schedule.ts';
import type { RequestShares } from './request-shares.ts';
import { RunStore, type WaitingHead } from './run-store.ts';
import type { Wakings } from '../../../platform/jobs/wakings.ts';
import { toMessage } from './webhook-message.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** The number of these that may send events again while new ones are waiting. */
const retriesMax = 2;
/** A run reads about so many records at a time, which limits its memory. */
const leavesPerPass = 500;
/** The events that may wait because they or earlier ones failed. With more of them, the position stops. */
const waitingMax = 2_000;
/** Results are saved after so many of them, or after this time. A crash repeats what was not saved. */
const savedAfterCount = 200;
const savedAfterMs = 1_000;

export interface RunParts {
  readonly database: Database;
  readonly endpoints: EndpointLookup;
  readonly sender: WebhookSender;
  readonly signatureKey: WebhookSignatureKey;
  readonly wakings: Wakings;
  readonly shares: RequestShares;
  readonly metrics: DeliveryMetrics;
  readonly logger: Logger;
  readonly portalUrl: string | undefined;
  readonly pace: RunPace;
}

export interface RunPace {
  /** How long a run waits for more after it has delivered something. */
  readonly lingerMs: number;
  /** The time after which a run ends, and a pass sends nothing more, so that other endpoints get a turn. */
  readonly sliceMs: number;
  /** How long an endpoint fails before it is disabled. */
  readonly failingSecondsMax: number;
}

type PassEnd = 'did-something' | 'nothing-to-do' | 'over';

/** Delivers to one endpoint until nothing is left to do or its time is up. */
export class EndpointRun {
  readonly #parts: RunParts;
  readonly #of: EndpointId;
  readonly #signal: AbortSignal;

  constructor(parts: RunParts, of: EndpointId, signal: AbortSignal) {
    this.#parts = parts;
    this.#of = of;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { wakings, pace } = this.#parts;
    const startedAt = performance.now();
    let busyAt = Number.NEGATIVE_INFINITY;
    const woken = wakings.listen(this.#of.webhookId);
    try {
      for (;;) {
        if (this.#signal.aborted || performance.now() - startedAt > pace.sliceMs) return await this.#wakeLater(0);
        const end = await this.#pass();
        if (end === 'over') return;
        if (end === 'did-something') busyAt = performance.now();
        else if (performance.now() - busyAt >= pace.lingerMs || !(await woken.wait(pace.lingerMs, this.#signal))) {
          return await this.#scheduleNext();
        }
      }
    } finally {
      woken.stop();
    }
  }

  /** Runs one pass: sends what is due, and the next section of the log. */
  async #pass(): Promise<PassEnd> {
    const endpoint = await this.#parts.endpoints.find(this.#of);
    if (endpoint === undefined) return 'over';
    const { failures, waitSeconds, failingSeconds } = endpoint.state;
    if (waitSeconds > 0) {
      await this.#wakeLater(waitSeconds);
      return 'over';
    }
    const isFailing = failures >= failuresMax;
    const pass = await this.#prepare(endpoint, isFailing);
    if (pass === undefined) return 'nothing-to-do';
    if (!(await this.#deliver(endpoint, pass))) return 'did-something';
    if (pass.isGone) {
      await this.#parts.endpoints.disable(endpoint, 'gone');
      return 'over';
    }
    if (pass.failures >= failuresMax && (failingSeconds ?? 0) > this.#parts.pace.failingSecondsMax) {
      await this.#parts.endpoints.disable(endpoint, 'failing');
      return 'over';
    }
    return 'did-something';
  }

  /** Reads what there is to send. Returns undefined if there is nothing, and the position is at the end of the log. */
  async #prepare(endpoint: Endpoint, isFailing: boolean): Promise<EndpointPass | undefined> {
    const { database, portalUrl, logger, metrics } = this.#parts;
    const { tenantId } = this.#of;
    const { position } = endpoint.state;
    return database.forTenant(tenantId, async (tx) => {
      const store = new RunStore(tx, this.#of);
      const tail = new TreeTail(tx, tenantId);
      const heads = await store.listHeads(waitingMax);
      const due = chooseDue(heads, isFailing);
      const isFull = heads.length > 0 && (await store.countWaiting()) >= waitingMax;
      const canRead = !isFull && !(isFailing && due.length > 0);
      const section = canRead ? await tail.next(position, leavesPerPass) : undefined;
      if (due.length === 0 && section === undefined) return undefined;
      if (section !== undefined && section.lost > 0) {
        metrics.noteLost(section.lost);
        logger.error('records for a webhook were dropped by retention', { count: section.lost });
      }
      const leaves = new Map((await tail.find(due.flatMap((head) => head.leaves))).map((leaf) => [leaf.number, leaf]));
      const blocked = heads.flatMap(({ isResent, entityId }) => (isResent || entityId === null ? [] : [entityId]));
      return new EndpointPass(endpoint, {
        due: due.map((head) => [head, leavesOf(head, leaves)] as const),
        blocked: new Set(blocked),
        section,
        portalUrl,
      });
    });
  }

  /**
   * Sends the requests of a pass and saves their results. Returns false if somebody moved the position or changed the
   * endpoint, so that what is left may have to be sent elsewhere, or not at all.
   */
  async #deliver(endpoint: Endpoint, pass: EndpointPass): Promise<boolean> {
    const leave = this.#parts.shares.enter(this.#of.tenantId);
    return this.#sendAll(endpoint, pass).finally(leave);
  }

  async #sendAll(endpoint: Endpoint, pass: EndpointPass): Promise<boolean> {
    const { shares } = this.#parts;
    const underway = new Set<Promise<void>>();
    let retries = 0;
    const startedAt = performance.now();
    let savedAt = startedAt;
    for (;;) {
      if (performance.now() - startedAt > this.#parts.pace.sliceMs) pass.putOffRest();
      while (underway.size < shares.requestsFor(this.#of.tenantId) && !this.#signal.aborted) {
        const outgoing = pass.take(retries < retriesMax);
        if (outgoing === undefined) break;
        if (!outgoing.isNew) retries += 1;
        const sending = this.#send(endpoint, pass, outgoing).finally(() => {
          underway.delete(sending);
          if (!outgoing.isNew) retries -= 1;
        });
        underway.add(sending);
      }
      const isOver = underway.size === 0;
      if (!isOver) await Promise.race(underway);
      if (!isOver && pass.notedCount < savedAfterCount && performance.now() - savedAt < savedAfterMs) continue;
      savedAt = performance.now();
      if (isOver && pass.failures >= failuresMax) pass.pause(probeDelay(endpoint.state.failingSeconds ?? 0));
      if (!(await this.#save(endpoint, pass))) {
        await Promise.all(underway);
        return false;
      }
      if (isOver) return true;
    }
  }

  async #send(endpoint: Endpoint, pass: EndpointPass, outgoing: Outgoing): Promise<void> {
    const { sender, signatureKey, metrics } = this.#parts;
    const { webhook, secrets } = endpoint;
    const now = new Date();
    const message = await toMessage(
      outgoing.events.map(({ event }) => event),
      {
        isBatch: webhook.batchSize > 1,
        secrets: validSecrets(secrets, now),
        signatureKey: webhook.hasBtSignature ? signatureKey : undefined,
        now,
      },
    );
    const result = await sender.send(webhook.tenantId, webhook.url, message);
    metrics.note(
      result,
      outgoing.events.map(({ event }) => event),
    );
    pass.note(outgoing, result);
  }

  #save({ webhook }: Endpoint, pass: EndpointPass): Promise<boolean> {
    const progress = pass.collect();
    return this.#parts.database.forTenant(this.#of.tenantId, (tx) =>
      new RunStore(tx, this.#of).save(progress, webhook.modifiedAt),
    );
  }

  /** Has the next run start when the next waiting event is due. */
  async #scheduleNext(): Promise<void> {
    await this.#parts.database.forTenant(this.#of.tenantId, async (tx) => {
      const heads: readonly WaitingHead[] = await new RunStore(tx, this.#of).listHeads(waitingMax);
      if (heads.length === 0) return;
      const seconds = Math.min(...heads.map(({ waitSeconds }) => waitSeconds));
      await new WebhookStore(tx, this.#of.tenantId).wake(this.#of.webhookId, seconds);
    });
  }

  async #wakeLater(seconds: number): Promise<void> {
    const { tenantId, webhookId } = this.#of;
    await this.#parts.database
      .forTenant(tenantId, (tx) => new WebhookStore(tx, tenantId).wake(webhookId, seconds))
      .catch((error: unknown) => {
        // The job is retried when its heartbeat is missing or by the next sealed record.
        this.#parts.logger.warn('a webhook was not woken', { error: nameOf(error) });
      });
  }
}

function leavesOf({ leaves }: WaitingHead, found: ReadonlyMap<number, Leaf>): Leaf[] {
  return leaves.flatMap((number) => found.get(number) ?? []);
}
