import { BlockList, isIPv6 } from 'node:net';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { ofKind, type Rendered, type Role } from './rendered-chart.ts';

/**
 * Returns true if the role's policy lets it connect to the address, by the rules of Kubernetes. Peers that are selected
 * by label are ignored, because they are not addresses.
 */
export function reaches(
  rendered: Rendered,
  role: Role,
  to: { readonly address: string; readonly port: number },
): boolean {
  return (policyOf(rendered, role).spec?.egress ?? []).some(
    ({ ports, to: peers }) =>
      (ports === undefined || ports.some(({ port }) => port === to.port)) &&
      (peers === undefined || peers.some(({ ipBlock }) => ipBlock !== undefined && isWithin(to.address, ipBlock))),
  );
}

export function policyOf(rendered: Rendered, role: Role): NetworkPolicy {
  const policy = ofKind<NetworkPolicy>(rendered, 'NetworkPolicy').find(
    ({ spec }) => spec?.podSelector.matchLabels?.['app.kubernetes.io/component'] === role,
  );
  if (policy === undefined) throw new Error(`No policy is for ${role}.`);
  return policy;
}

function isWithin(address: string, block: { readonly cidr: string; readonly except?: readonly string[] }): boolean {
  return contains(block.cidr, address) && !(block.except ?? []).some((cidr) => contains(cidr, address));
}

function contains(cidr: string, address: string): boolean {
  const [network = '', bits = ''] = cidr.split('/');
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  if (family !== (isIPv6(address) ? 'ipv6' : 'ipv4')) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}
