import { finished } from 'node:stream';
import { RequestBudget } from '../../core/budget/request-budget.ts';
import { isListed } from '../../core/destinations/destination-list.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { mergeUses } from '../../core/expressions/reference-uses.ts';
import type { KeyCaller } from '../../core/identity/caller.ts';
import { type Outcome, toAuditRow } from '../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../platform/audit/record/audit-log.ts';
import type { OutboundResponse } from '../../platform/outbound/destination-exchange.ts';
import { DestinationRefusal } from '../../platform/outbound/destination-refusal.ts';
import type { Destination } from '../../platform/outbound/destination-url.ts';
import type { OpenConnection, Outbound, VettedDestination } from '../../platform/outbound/outbound.ts';
import type { OutboundConfig } from '../../platform/outbound/outbound-config.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { ProxyMetrics, ProxyStage } from '../../platform/telemetry/proxy-metrics.ts';
import type { CallableProxy, StoredProxyDirectory } from '../stored-proxies/index.ts';
import type { TenantSettingsDirectory } from '../tenants/index.ts';
import { type JudgedReferences, readEvents, type ReferencedTokens } from '../tokens/index.ts';
import { CallClock } from './call-clock.ts';
import { asRecorded, hidingFailures, reasonOf, toCallError } from './call-errors.ts';
import type { CallSlot, CallSlots } from './call-slots.ts';
import { readEncryptedHeader } from './encrypted-header.ts';
import { compileHeaders, toConnectionFields } from './forwarded-headers.ts';
import { compileBody } from './proxy-body.ts';
import type { ProxyCallStore } from './proxy-call-store.ts';
import { proxyEvent, withCreated } from './proxy-event.ts';
import type { ProxyRequest } from './proxy-request.ts';
import { compileTarget } from './proxy-target.ts';
import { requireProof, toStoredRequest } from './stored-request.ts';
import type { TransformParts } from './stored-effects.ts';
import { findRefusalEvent } from './refusal-event.ts';
import { StoredTransforms } from './stored-transforms.ts';

export interface ProxyServiceParts {
  readonly outbound: Outbound;
  readonly config: Pick<OutboundConfig, 'requiresDestinationList' | 'limits'>;
  readonly tokens: ReferencedTokens;
  readonly stored: Pick<StoredProxyDirectory, 'open'>;
  readonly transforms: TransformParts;
  readonly settings: TenantSettingsDirectory;
  readonly calls: ProxyCallStore;
  readonly slots: CallSlots;
  readonly audit: AuditLog;
  readonly metrics: ProxyMetrics;
  readonly logger: Logger;
}

/** A call in progress: its stage and its destination. */
interface Call {
  readonly id: string;
  readonly caller: KeyCaller;
  readonly clock: CallClock;
  readonly slot: CallSlot;
  stage: ProxyStage;
  host: string | undefined;
  isBegun: boolean;
  /** True if plaintext may have reached the destination. */
  hasSentValues: boolean;
  /** The transforms of a stored proxy, which know what they have created. */
  transforms: StoredTransforms | undefined;
}

/** Forwards a request with the plaintext of tokens in it. The order of the stages matters. */
export class ProxyService {
  readonly #parts: ProxyServiceParts;
  readonly #endings = new Set<Promise<void>>();

  constructor(parts: ProxyServiceParts) {
    this.#parts = parts;
  }

  async forward(caller: KeyCaller, request: ProxyRequest): Promise<OutboundResponse> {
    const { slots, config } = this.#parts;
    const slot = slots.take(caller.tenantId, request.storedProxy?.isKeyless);
    const clock = new CallClock(config.limits.callMs, request.signal);
    const call: Call = {
      id: crypto.randomUUID(),
      caller,
      clock,
      slot,
      stage: 'parse',
      host: undefined,
      isBegun: false,
      hasSentValues: false,
      transforms: undefined,
    };
    const end = (error: unknown) => {
      clock.stop();
      slot.release();
      this.#count(call, error);
    };
    try {
      const answer = await this.#forward(call, request);
      finished(answer.body, (error) => {
        end(error);
        this.#settle(call, error === undefined || error === null ? 'success' : 'failed');
      });
      return answer;
    } catch (error) {
      end(error);
      if (call.isBegun) this.#settle(call, 'failed');
      else {
        const event = findRefusalEvent(call, error);
        if (event !== undefined) {
          await this.#parts.audit.append(caller, event);
          throw asRecorded(toCallError(error));
        }
      }
      throw toCallError(error);
    }
  }

  /** Waits for the records of calls that have ended. It is called before the database is closed. */
  async close(): Promise<void> {
    await Promise.all(this.#endings);
  }

  async #forward(call: Call, given: ProxyRequest): Promise<OutboundResponse> {
    const { outbound, tokens } = this.#parts;
    const { clock } = call;
    const stored = await this.#openStored(call, given);
    const request = stored === undefined ? given : toStoredRequest(given, stored);
    const url = outbound.parse(requireUrl(request));
    call.host = url.host;
    const connection = toConnectionFields(request);

    call.stage = 'policy';
    // The destination of a stored proxy is the only one that a call through it can reach.
    const caller = stored === undefined ? call.caller : { ...call.caller, allowedDestinations: [url.host] };
    await this.#requireAllowed(caller, url.host, request);
    const transforms = stored && new StoredTransforms(this.#parts.transforms, { stored, caller, request });
    call.transforms = transforms;

    call.stage = 'scan';
    const budget = new RequestBudget();
    const templates = {
      target: compileTarget(url, request, budget),
      headers: compileHeaders(request, budget),
      body: await compileBody(request, budget),
    };
    const uses = mergeUses(Object.values(templates).map((template) => template.uses));
    const judged = await tokens.find(caller, 'token:use', uses, readEncryptedHeader(request));

    call.stage = 'resolve';
    const vetted = await outbound.resolve(url, clock.signal);

    const opened = await this.#begin(call, { url, vetted, judged });
    try {
      call.stage = 'decrypt';
      const source = await tokens.open(caller, judged, budget);
      const outgoing = await hidingFailures(caller, async () => ({
        method: request.method,
        target: await templates.target.render(source),
        headers: await templates.headers.render(source),
        connection,
        body: await templates.body.render(source),
      }));

      const sent = transforms === undefined ? outgoing : await transforms.toRequest(outgoing);
      call.stage = 'exchange';
      call.hasSentValues = judged.tokens.length + judged.intents.length + judged.encrypted.length > 0;
      const answer = await opened.send(sent, call.slot.pace);
      return transforms === undefined ? answer : await transforms.toResponse(answer);
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /**
   * Records the intent durably, and opens a connection to a destination whose name has been verified. Both are needed
   * before anything is decrypted. They are independent, so they are awaited together, and nothing is sent over the
   * connection in the meantime.
   */
  async #begin(
    call: Call,
    plan: { readonly url: Destination; readonly vetted: VettedDestination; readonly judged: JudgedReferences },
  ): Promise<OpenConnection> {
    const { outbound, calls } = this.#parts;
    const { id, caller, clock } = call;
    const { host: destination } = plan.url;
    const uses = readEvents(plan.judged).map((event) => ({ ...event, destination }));
    const records = [proxyEvent(id, 'intent', destination), ...uses].map((event) => toAuditRow(caller, event));
    call.stage = 'intent';
    const [begun, connected] = await Promise.allSettled([
      calls.begin(caller.tenantId, { id, destination, records }),
      outbound.connect(plan.url, plan.vetted, { tenantId: caller.tenantId, signal: clock.signal }),
    ]);
    if (begun.status === 'rejected') {
      if (connected.status === 'fulfilled') connected.value.close();
      throw begun.reason;
    }
    call.isBegun = true;
    call.stage = 'connect';
    if (connected.status === 'rejected') throw connected.reason;
    return connected.value;
  }

  /** Opens the stored proxy that the request names, if it names one. */
  async #openStored({ caller, clock }: Call, request: ProxyRequest): Promise<CallableProxy | undefined> {
    const { storedProxy, destinationUrl } = request;
    if (storedProxy === undefined) return undefined;
    if (destinationUrl !== undefined)
      throw new DomainError('validation-failed', 'BT-PROXY-URL and BT-PROXY-KEY must not be sent together.');
    const stored = await this.#parts.stored.open(caller.tenantId, storedProxy);
    requireProof(stored, request);
    const { timeoutSeconds } = stored.proxy;
    if (timeoutSeconds !== null) clock.endWithin(timeoutSeconds * 1_000);
    return stored;
  }

  async #requireAllowed(caller: KeyCaller, host: string, request: ProxyRequest): Promise<void> {
    const { settings, config } = this.#parts;
    const { isFromFields, storedProxy } = request;
    if (caller.applicationType !== 'private' && caller.session === undefined) {
      throw new DomainError('forbidden', 'The proxy requires the key of a private application or of a session.');
    }
    if (storedProxy === undefined && (await settings.get(caller.tenantId)).disableEphemeralProxy) {
      throw new DomainError('forbidden', 'The proxy is disabled for this tenant.');
    }
    const { allowedDestinations } = caller;
    if (allowedDestinations === undefined) {
      // Without a list of destinations, a script on the page could send the cards of its session to any host.
      if (isFromFields) throw new DestinationRefusal('no-list-in-fields');
      if (config.requiresDestinationList) throw new DestinationRefusal('no-list');
    } else if (!isListed(host, allowedDestinations)) {
      throw new DestinationRefusal('unlisted');
    }
  }

  /**
   * Records the outcome without delaying the response. If this fails, the call stays open and is later marked as
   * unknown.
   */
  #settle({ id, caller, host, hasSentValues, transforms }: Call, outcome: Outcome): void {
    const { calls, logger } = this.#parts;
    const event = withCreated(
      { ...proxyEvent(id, outcome, host), ...(hasSentValues ? { transform: 'reveal' as const } : {}) },
      transforms?.created ?? [],
    );
    const ending: Promise<void> = calls
      .end(caller.tenantId, toAuditRow(caller, event))
      .catch(() => logger.error('proxy outcome not recorded', { trace_id: caller.requestId }))
      .finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #count({ stage }: Call, error: unknown): void {
    if (error === undefined || error === null) this.#parts.metrics.countCall('answered', 'success');
    else this.#parts.metrics.countCall(stage, reasonOf(error));
  }
}

function requireUrl({ destinationUrl }: ProxyRequest): string {
  if (destinationUrl === undefined || destinationUrl === '') {
    throw new DomainError('validation-failed', 'The BT-PROXY-URL header is required.');
  }
  return destinationUrl;
}
