import { type OutboundConfig, outboundLimits } from '../outbound/outbound-config.ts';
import * as proxy from './outbound-settings.ts';
import { allOf, always, optional, required } from './reading.ts';
import type { Setting } from './setting.ts';

/** Reads the operator's settings for the proxy. All of them are optional, and none is implied by another. */
export const outbound = allOf<OutboundConfig>({
  authorities: optional(proxy.authorities),
  clientCertificates: required(proxy.clientCertificates),
  privateRanges: required(proxy.privateRanges),
  hosts: required(proxy.hosts),
  ports: required(proxy.ports),
  resolvers: required(proxy.resolvers),
  ownDestination: always(undefined),
  requiresDestinationList: required(proxy.requiresDestinationList),
  callsPerTenantMax: required(proxy.callsPerTenantMax),
  limits: always(outboundLimits),
});

/** Lists the settings that an operator has changed, by name and without any secret. */
export function describeOutbound(config: OutboundConfig): { readonly setting: string; readonly value: string }[] {
  const set: [Setting<unknown>, readonly string[]][] = [
    [proxy.authorities, config.authorities === undefined ? [] : ['set']],
    [proxy.clientCertificates, config.clientCertificates.map(({ tenantId, host }) => `${tenantId}@${host}`)],
    [proxy.privateRanges, config.privateRanges.map(({ text }) => text)],
    [proxy.hosts, config.hosts],
    [proxy.ports, config.ports.map(String)],
    [proxy.resolvers, config.resolvers],
    [proxy.requiresDestinationList, config.requiresDestinationList ? ['true'] : []],
  ];
  return set
    .filter(([, values]) => values.length > 0)
    .map(([{ variable }, values]) => ({ setting: variable, value: values.join(',') }));
}
