import { type AddressRange, isInRange, parseAddressRange } from '../../core/network/address-range.ts';
import type { AddressBytes } from '../../core/network/ip-address.ts';

/** The reason why an address is not public. The same name is used in metrics and tests. */
export type AddressClass =
  | 'public'
  | 'this-network'
  | 'private'
  | 'shared'
  | 'loopback'
  | 'link-local'
  | 'protocol-assignment'
  | 'documentation'
  | 'relay'
  | 'benchmark'
  | 'multicast'
  | 'reserved'
  | 'platform'
  | 'ipv6-special';

/**
 * Special ranges from RFC 6890 and the IANA registry of special-purpose addresses, and the address of the Azure agent.
 */
const ipv4Classes = table([
  ['0.0.0.0/8', 'this-network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'platform'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol-assignment'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'relay'],
  ['192.52.193.0/24', 'relay'],
  ['192.88.99.0/24', 'relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'relay'],
  ['198.18.0.0/15', 'benchmark'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
]);

/** Ranges inside the global unicast range that are not global. Everything outside that range is refused too. */
const ipv6Classes = table([
  ['2001::/23', 'protocol-assignment'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', 'relay'],
  ['3fff::/20', 'documentation'],
  ['2620:4f:8000::/48', 'relay'],
]);
const globalUnicast = getRange('2000::/3');

export function classifyAddress(address: AddressBytes): AddressClass {
  const classes = address.length === 4 ? ipv4Classes : ipv6Classes;
  const special = classes.find(({ range }) => isInRange(address, range))?.name;
  if (special !== undefined) return special;
  // This covers mapped, embedded and translated IPv4, unique local, link-local, site-local and unassigned addresses.
  return address.length === 4 || isInRange(address, globalUnicast) ? 'public' : 'ipv6-special';
}

function table(rows: readonly (readonly [string, AddressClass])[]) {
  return rows.map(([text, name]) => ({ range: getRange(text), name }));
}

function getRange(text: string): AddressRange {
  const range = parseAddressRange(text);
  if (range === undefined) throw new TypeError(`${text} is not a range of addresses.`);
  return range;
}
