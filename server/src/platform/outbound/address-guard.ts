import { Resolver } from 'node:dns/promises';
import { classifyAddress } from './address-class.ts';
import { type AddressRange, isInRange } from '../../core/network/address-range.ts';
import { DestinationFailure } from './destination-failure.ts';
import { DestinationRefusal } from './destination-refusal.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';

/** The maximum number of addresses of a name. Names of payment providers do not have more. */
const addressesMax = 64;

/**
 * The second layer of checks. No matter what the URL looked like, a connection is opened only to addresses that pass
 * here. It does not rely on the first layer: a host that is an address is checked like one from DNS.
 */
export class AddressGuard {
  readonly #resolver: Resolver;
  readonly #allowed: readonly AddressRange[];

  constructor(options: {
    readonly resolvers: readonly string[];
    readonly privateRanges: readonly AddressRange[];
    readonly resolveMs: number;
  }) {
    // This uses only DNS, without a hosts file or search domains. Two attempts share the time limit.
    this.#resolver = new Resolver({ timeout: Math.ceil(options.resolveMs / 2), tries: 2 });
    if (options.resolvers.length > 0) this.#resolver.setServers([...options.resolvers]);
    this.#allowed = options.privateRanges;
  }

  /**
   * Returns the addresses of a host, IPv4 first. If one of them is refused, all of them are, because a legitimate name
   * has no such address.
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
    // If one address family cannot be resolved, the other is used. Connections are opened only to checked addresses.
    if (addresses.length === 0 || addresses.length > addressesMax) throw new DestinationFailure('unresolved');
    return addresses;
  }
}
