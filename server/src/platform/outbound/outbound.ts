import type { TenantId } from '../../core/identity/ids.ts';
import { parseAddressRange } from '../../core/network/address-range.ts';
import { noTracer, type Tracer } from '../telemetry/tracer.ts';
import { AddressGuard } from './address-guard.ts';
import type { ResponsePace } from './response-pace.ts';
import { connectTo } from './destination-connection.ts';
import { exchange, type OutboundResponse, type OutboundRequest } from './destination-exchange.ts';
import { DestinationFailure } from './destination-failure.ts';
import { type Destination, type DestinationUrl, isSame, parseDestinationUrl, standardPort } from './destination-url.ts';
import type { OutboundConfig, OwnDestination } from './outbound-config.ts';
import { SecureContexts } from './secure-contexts.ts';
import { SteadyConnection } from './steady-connection.ts';

/**
 * The only class that calls destinations. Each one is checked by its URL and by its address before a connection is
 * opened, no matter who requested it.
 */
export class Outbound {
  readonly #config: OutboundConfig;
  readonly #guard: AddressGuard;
  /** Allows only the address of the destination that this process runs itself. */
  readonly #ownGuard: AddressGuard;
  readonly #contexts: SecureContexts;
  readonly #tracer: Tracer;

  constructor(config: OutboundConfig, tracer = noTracer) {
    this.#config = config;
    this.#tracer = tracer;
    const { resolvers, privateRanges, ownDestination, limits } = config;
    this.#guard = new AddressGuard({ resolvers, privateRanges, resolveMs: limits.resolveMs });
    const ownRange = ownDestination === undefined ? undefined : parseAddressRange(`${ownDestination.address}/32`);
    this.#ownGuard = new AddressGuard({
      resolvers,
      privateRanges: ownRange === undefined ? [] : [ownRange],
      resolveMs: limits.resolveMs,
    });
    this.#contexts = new SecureContexts(config);
  }

  parse(url: string): DestinationUrl {
    return parseDestinationUrl(url, this.#config);
  }

  resolve(destination: Destination, signal: AbortSignal): Promise<VettedDestination> {
    return this.#tracer.span('resolve', {}, async () => {
      const own = this.#findOwn(destination);
      const vetting = own === undefined ? this.#guard.vet(destination.host) : this.#ownGuard.vet(own.address);
      return { addresses: await within(signal, vetting) };
    });
  }

  /** Opens a verified connection for one call of a tenant. Nothing has been sent over it yet. */
  async connect(
    destination: Destination,
    vetted: VettedDestination,
    { tenantId, signal }: { readonly tenantId: TenantId; readonly signal: AbortSignal },
  ): Promise<OpenConnection> {
    const { host, port } = destination;
    const socket = await this.#tracer.span('connect', {}, () =>
      connectTo(destination, {
        addresses: vetted.addresses,
        guard: this.#findOwn(destination) === undefined ? this.#guard : this.#ownGuard,
        secureContext: this.#contexts.of(tenantId, destination),
        connectMs: this.#config.limits.connectMs,
        signal,
      }),
    );
    const hostHeader = port === standardPort ? host : `${host}:${port}`;
    const { limits } = this.#config;
    return {
      send: (request, pace) =>
        this.#tracer.span('exchange', { 'http.request.method': request.method }, async (span) => {
          const options = { socket: new SteadyConnection(socket), hostHeader, limits, pace, signal };
          const answer = await exchange(request, options);
          span?.set({ 'http.response.status_code': answer.status });
          return answer;
        }),
      close: () => void socket.destroy(),
    };
  }

  #findOwn(destination: Destination): OwnDestination | undefined {
    const { ownDestination } = this.#config;
    return isSame(destination, ownDestination) ? ownDestination : undefined;
  }
}

/** A connection for one request, which is never retried, because a retry could charge a card twice. */
export interface OpenConnection {
  send(request: OutboundRequest, pace: ResponsePace): Promise<OutboundResponse>;
  close(): void;
}

/** Addresses that passed the checks. `Outbound` alone creates them. */
export interface VettedDestination {
  readonly addresses: readonly string[];
}

/** Stops waiting when the signal is aborted. The work itself has its own limit. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason instanceof Error ? signal.reason : new DestinationFailure('late'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}
