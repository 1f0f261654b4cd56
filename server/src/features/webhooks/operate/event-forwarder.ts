import { setTimeout as pauseFor } from 'node:timers/promises';
import { toEvent, type VaultEvent } from '../../../core/events/event-envelope.ts';
import { type EventFilter, isSubscribed } from '../../../core/events/event-filter.ts';
import { codeOf, nameOf } from '../../../core/errors/thrown.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { TreeTail } from '../../../platform/audit/follow/tree-tail.ts';
import { noSingleEntity } from '../../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { askOnce } from '../../../platform/outbound/operator-service.ts';
import { toMessage } from '../deliver/webhook-message.ts';
import { webhookEvent } from '../model/webhook.ts';

const leavesPerRead = 100;
const pauseMs = 500;
const pauseAfterFailureMs = 2_000;
const responseMs = 15_000;

export interface ForwarderOptions {
  readonly database: Database;
  readonly tenantId: TenantId;
  readonly filter: EventFilter;
  /** A port of this machine and a path with a slash. */
  readonly target: { readonly port: number; readonly path: string };
  readonly secret: Sensitive<string>;
  readonly portalUrl: string | undefined;
  /** Called with each event, and with the status of the response or the name of what failed. */
  readonly onForwarded: (event: VaultEvent, outcome: string) => void;
  /** Called with the name of what failed if the log could not be read. It is tried again. */
  readonly onUnreadable: (reason: string) => void;
}

/**
 * Sends the events of a tenant to a port of this machine, for development. It sends them one after the other from now on,
 * each once: nothing is stored, and an event that fails is not sent again.
 */
export class EventForwarder {
  readonly #options: ForwarderOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #position: number;

  static async start(options: ForwarderOptions): Promise<EventForwarder> {
    const { database, tenantId } = options;
    const position = await database.forTenant(tenantId, async (tx) => {
      await recordInTransaction(tx, tenantId, 'system', webhookEvent(noSingleEntity, 'read'));
      return new TreeTail(tx, tenantId).sizeAt(new Date());
    });
    return new EventForwarder(options, position);
  }

  private constructor(options: ForwarderOptions, position: number) {
    this.#options = options;
    this.#position = position;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pause = await this.#pass().catch((error: unknown) => {
        this.#options.onUnreadable(codeOf(error) ?? nameOf(error));
        return pauseAfterFailureMs;
      });
      if (pause > 0) await pauseFor(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Forwards the next section of the log and returns the delay before the one after it, in milliseconds. */
  async #pass(): Promise<number> {
    const { database, tenantId, filter, portalUrl } = this.#options;
    const section = await database.forTenant(tenantId, (tx) =>
      new TreeTail(tx, tenantId).next(this.#position, leavesPerRead),
    );
    if (section === undefined) return pauseMs;
    for (const { record } of section.leaves) {
      if (this.#stopping.signal.aborted) return 0;
      const event = isSubscribed(record, filter) ? toEvent(record, portalUrl) : undefined;
      if (event !== undefined) this.#options.onForwarded(event, await this.#forward(event));
    }
    this.#position = section.end;
    return 0;
  }

  async #forward(event: VaultEvent): Promise<string> {
    const { secret, target } = this.#options;
    const options = { isBatch: false, secrets: [secret], signatureKey: undefined, now: new Date() };
    const { headers, body } = await toMessage([event], options);
    const call = { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])), body };
    try {
      const url = `http://127.0.0.1:${target.port}${target.path}`;
      return String((await askOnce(url, call, { timeoutMs: responseMs })).status);
    } catch (error) {
      return codeOf(error) ?? nameOf(error);
    }
  }
}
