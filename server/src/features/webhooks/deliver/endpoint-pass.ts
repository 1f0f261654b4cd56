import { type VaultEvent, toEvent } from '../../../core/events/event-envelope.ts';
import { isSubscribed } from '../../../core/events/event-filter.ts';
import type { Leaf, TreeSection } from '../../../platform/audit/follow/tree-tail.ts';
import { EntityQueues, type Queued } from './entity-queues.ts';
import { messageIdOf } from './webhook-message.ts';
import type { Endpoint } from './endpoint-lookup.ts';
import { delayAfter, failuresMax } from './retry-schedule.ts';
import type { NotedDelivery, RunProgress, WaitingHead } from './run-store.ts';
import { SettledLeaves } from './settled-leaves.ts';
import type { SendResult } from './webhook-sender.ts';

/** An event to send, with its leaf. */
export interface PendingEvent extends Queued {
  readonly event: VaultEvent;
  readonly leaf: number;
  /** How often it was sent before. */
  readonly attempts: number;
}

/** The events of one request. */
export interface Outgoing {
  readonly events: readonly PendingEvent[];
  /** True if they were read from the log in this pass, so that their leaves are not settled yet. */
  readonly isNew: boolean;
  /** The id of the delivery that is resent, if one is. */
  readonly resentId?: string;
}

/** Waiting events that are due. */
interface DueHead {
  readonly head: WaitingHead;
  readonly events: readonly PendingEvent[];
  /** Why there are no events if there are none: retention dropped their month, or the endpoint no longer wants them. */
  readonly dropped: 'record-dropped' | 'unsubscribed';
}

/** A failed batch is sent again in smaller parts, so that one poisoned event does not hold up the others. */
const splitBy = 10;

/**
 * What one pass over an endpoint has to send: waiting events that are due, and the next section of the log. It decides
 * the order and notes the results, and neither sends nor stores anything.
 */
export class EndpointPass {
  readonly #endpoint: Endpoint;
  readonly #retries: Outgoing[];
  readonly #fresh = new EntityQueues<PendingEvent>();
  readonly #leaves: SettledLeaves;
  #noted: NotedDelivery[] = [];
  #savedTo: number;
  #failures: number;
  #waitSeconds = 0;
  #hasRecovered = false;
  #isGone = false;
  #sent = 0;

  constructor(
    endpoint: Endpoint,
    parts: {
      /** The waiting events that are due, with their events. Those whose records are gone have none. */
      readonly due: readonly (readonly [WaitingHead, readonly Leaf[]])[];
      /** The entities with waiting events. Their new events wait behind those. */
      readonly blocked: ReadonlySet<string>;
      readonly section: TreeSection | undefined;
      readonly portalUrl: string | undefined;
    },
  ) {
    const { webhook, state } = endpoint;
    const { due, blocked, section, portalUrl } = parts;
    this.#endpoint = endpoint;
    this.#savedTo = state.position;
    this.#failures = state.failures;
    const toPending = ({ number, record }: Leaf, attempts: number): PendingEvent[] => {
      const event = toEvent(record, portalUrl);
      return event === undefined ? [] : [{ event, leaf: number, entityId: record.entity_id, attempts }];
    };
    // A receiver at a new address may not get events that only the old one subscribed to.
    const isWanted = ({ record }: Leaf) => isSubscribed(record, webhook);
    this.#retries = this.#toRetries(
      due.map(([head, leaves]) => ({
        head,
        events: leaves.filter(isWanted).flatMap((leaf) => toPending(leaf, head.attempts)),
        dropped: leaves.length === 0 ? 'record-dropped' : 'unsubscribed',
      })),
    );
    const pending = (section?.leaves ?? []).filter(isWanted).flatMap((leaf) => toPending(leaf, 0));
    this.#leaves = new SettledLeaves(
      pending.map(({ leaf }) => leaf),
      section?.end ?? state.position,
    );
    for (const event of pending) {
      if (blocked.has(event.entityId)) this.#park(event);
      else this.#fresh.add(event);
    }
  }

  /**
   * Takes the next request. If the endpoint is failing, there is only one until it succeeds. Events that are sent again
   * come first, unless they may take no more slots from new ones.
   */
  take(canRetry: boolean): Outgoing | undefined {
    if (this.mustStop) return undefined;
    const next = this.#takeNext(canRetry);
    if (next !== undefined) this.#sent += 1;
    return next;
  }

  #takeNext(canRetry: boolean): Outgoing | undefined {
    const retry = canRetry || !this.#fresh.hasReady ? this.#retries.shift() : undefined;
    if (retry !== undefined) return retry;
    const events = this.#fresh.take(this.#endpoint.webhook.batchSize);
    return events.length === 0 ? undefined : { events, isNew: true };
  }

  /** True if no more requests should be sent in this pass. Those under way are still noted. */
  get mustStop(): boolean {
    const isFailing = this.#failures >= failuresMax && this.#sent > 0;
    return this.#isGone || this.#waitSeconds > 0 || isFailing;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Notes the result of a request. */
  note(outgoing: Outgoing, result: SendResult): void {
    this.#waitSeconds = Math.max(this.#waitSeconds, result.retryAfterSeconds ?? 0);
    if (result.outcome === 'gone') this.#isGone = true;
    if (result.outcome === 'accepted') {
      this.#hasRecovered ||= this.#failures >= failuresMax;
      this.#failures = 0;
      this.#noteAccepted(outgoing, result);
    } else {
      this.#failures += 1;
      this.#noteFailed(outgoing, result);
    }
  }

  /** Puts off everything that was not taken, so that a slow endpoint gives way to others. */
  putOffRest(): void {
    this.#retries.length = 0;
    for (const event of this.#fresh.takeRest()) this.#park(event);
  }

  /** Makes the endpoint wait. */
  pause(seconds: number): void {
    this.#waitSeconds = Math.max(this.#waitSeconds, seconds);
  }

  /** Returns what is to be saved, and begins to collect again. */
  collect(): RunProgress {
    const from = this.#savedTo;
    const to = this.#leaves.position;
    const progress = {
      from,
      to,
      failures: this.#failures,
      waitSeconds: this.#waitSeconds,
      noted: this.#noted,
      hasRecovered: this.#hasRecovered,
    };
    this.#savedTo = to;
    this.#noted = [];
    this.#hasRecovered = false;
    return progress;
  }

  /** The number of results that are not saved yet. */
  get notedCount(): number {
    return this.#noted.length;
  }

  #noteAccepted({ events, isNew, resentId }: Outgoing, result: SendResult): void {
    const attempts = Math.max(...events.map((event) => event.attempts)) + 1;
    // Events that were waiting one by one have a row each.
    const messages = isNew || resentId !== undefined ? [events] : events.map((event) => [event]);
    for (const message of messages)
      this.#push(message, { id: resentId, status: 'delivered', attempts, nextSeconds: null, result });
    for (const { leaf, entityId } of isNew ? events : []) {
      this.#leaves.settle(leaf);
      this.#fresh.release(entityId);
    }
  }

  /** An endpoint that is failing as a whole uses up no attempts of its events. */
  #noteFailed({ events, isNew, resentId }: Outgoing, result: SendResult): void {
    const isCounted = this.#failures <= failuresMax;
    const messages = resentId === undefined ? events.map((event) => [event]) : [events];
    for (const message of messages) {
      const attempts = (message[0]?.attempts ?? 0) + (isCounted ? 1 : 0);
      const delay = delayAfter(Math.max(attempts, 1));
      const nextSeconds = delay === undefined ? null : Math.max(delay, result.retryAfterSeconds ?? 0);
      const status = delay === undefined ? 'failed' : 'waiting';
      this.#push(message, { id: resentId, status, attempts, nextSeconds, result });
    }
    if (!isNew) return;
    // If a batch has several events of one entity, the later ones wait behind the first.
    for (const { leaf, entityId } of events) {
      this.#leaves.settle(leaf);
      for (const behind of this.#fresh.drop(entityId)) this.#park(behind);
    }
  }

  /** Notes an event that is not sent in this pass, as a rule because it waits for an earlier one of its entity. */
  #park(event: PendingEvent): void {
    this.#push([event], { id: undefined, status: 'waiting', attempts: 0, nextSeconds: null, result: notSent });
    this.#leaves.settle(event.leaf);
  }

  #push(
    events: readonly PendingEvent[],
    noted: Pick<NotedDelivery, 'status' | 'attempts' | 'nextSeconds'> & {
      readonly id: string | undefined;
      readonly result: SendResult | typeof notSent;
    },
  ): void {
    const { id, status, attempts, nextSeconds, result } = noted;
    const eventIds = events.map(({ event }) => event.id);
    const entityIds = new Set(events.map(({ entityId }) => entityId));
    this.#noted.push({
      id: id ?? messageIdOf(eventIds),
      status,
      eventIds,
      eventTypes: [...new Set(events.map(({ event }) => event.type))],
      entityId: entityIds.size === 1 ? (events[0]?.entityId ?? null) : null,
      leaves: events.map(({ leaf }) => leaf),
      attempts,
      nextSeconds,
      responseStatus: result.responseStatus,
      durationMs: result.durationMs,
      error: result.error,
      response: result.response,
    });
  }

  /** Returns the requests for waiting events. Those that have failed together before are sent in smaller parts. */
  #toRetries(due: readonly DueHead[]): Outgoing[] {
    const requests: Outgoing[] = [];
    const open = new Map<number, PendingEvent[]>();
    for (const { head, events, dropped } of due) {
      if (events.length === 0) this.#noteDropped(head, dropped);
      else if (head.isResent) requests.push({ events, isNew: false, resentId: head.id });
      else {
        const size = Math.max(1, Math.floor(this.#endpoint.webhook.batchSize / splitBy ** head.attempts));
        const part = open.get(size) ?? [];
        part.push(...events);
        open.set(size, part);
        if (part.length < size) continue;
        requests.push({ events: part, isNew: false });
        open.delete(size);
      }
    }
    return [...requests, ...[...open.values()].map((events) => ({ events, isNew: false }))];
  }

  #noteDropped({ id, entityId, leaves, attempts }: WaitingHead, error: DueHead['dropped']): void {
    const result = { ...notSent, error };
    this.#noted.push({
      id,
      status: 'failed',
      eventIds: [],
      eventTypes: [],
      entityId,
      leaves,
      attempts,
      nextSeconds: null,
      ...result,
    });
  }
}

const notSent = { responseStatus: null, durationMs: null, error: null, response: null };
