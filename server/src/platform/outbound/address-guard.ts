import { Resolver } from 'node:dns/promises';
import { classifyAddress } from './address-class.ts';
import { type AddressRange, isInRange } from '../../core/network/address-range.ts';
import { DestinationFailure } from './destination-failure.ts';
import { DestinationRefusal } from './destination-refusal.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';

/** The most addresses of a name. A name with more does not belong to a payment provider. */
const addressesMax = 64;

/**
 * The second layer of checks. Whatever the URL looked like, only addresses that pass here are dialled. It does not rely
 * on the first layer: a host that is an address is checked like one from DNS.
 */
export class AddressGuard {
  readonly #resolver: Resolver;
  readonly #allowed: readonly AddressRange[];

  constructor(options: {
    readonly resolvers: readonly string[];
    readonly privateRanges: readonly AddressRange[];
    readonly resolveMs: number;
  }) {
    // This uses only DNS, without hosts file or search domains. Two attempts share the time.
    this.#resolver = new Resolver({ timeout: Math.ceil(options.resolveMs / 2), tries: 2 });
    if (options.resolvers.length > 0) this.#resolver.setServers([...options.resolvers]);
    this.#allowed = options.privateRanges;
  }

  /**
   * Returns the addresses of a host, IPv4 first. If one of them is refused, all are, because an honest name has none of
   * those.
   */
  async vet(host: string): Promise<string[]> {
    const literal = host.startsWith('[') ? host.slice(1, -1) : host;
    const addresses = parseIpAddress(literal) === undefined ? await this.#resolve(host) : [literal];
    for (const address of addresses) this.requireAllowed(address);
    return addresses;
  }

  requireAllowed(address: string): void {
    const bytes = parseIpAddress(address);
    if (bytes === undefined) throw new DestinationRefusal('address-unreadable');
    const name = classifyAddress(bytes);
    if (name === 'public' || this.#allowed.some((range) => isInRange(bytes, range))) return;
    throw new DestinationRefusal(`address-${name}`);
  }

  async #resolve(host: string): Promise<string[]> {
    const answers = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    // If one address family cannot be resolved, the other is used. Only checked addresses are dialled.
    if (addresses.length === 0 || addresses.length > addressesMax) throw new DestinationFailure('unresolved');
    return addresses;
  }
}
