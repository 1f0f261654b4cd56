import { readFileSync } from 'node:fs';
import { parseDestinationEntry } from '../../core/destinations/destination-list.ts';
import { isUuid, parseTenantId } from '../../core/identity/ids.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { parseAddressRange } from '../../core/network/address-range.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';
import { type ClientCertificate, type OutboundConfig, outboundLimits } from '../outbound/outbound-config.ts';
import { always, group, optional, setting, settingWithDefault } from './reading.ts';
import type { Setting } from './setting.ts';
import { listOf, parseBoolean, parseCertificates, wholeNumber } from './setting-parsers.ts';

const settings = {
  requiresDestinationList: settingWithDefault('STRONGROOM_PROXY_REQUIRE_ALLOWED_DESTINATIONS', parseBoolean, false, {
    expectation: 'true or false: whether only applications that list their destinations may use the proxy',
    example: 'true',
  }),
  callsPerTenantMax: settingWithDefault('STRONGROOM_PROXY_CALLS_PER_TENANT', wholeNumber(1, 10_000), 100, {
    expectation: 'how many concurrent proxy calls a tenant may have on each server, from 1 to 10000',
  }),
  authorities: setting('STRONGROOM_PROXY_CA', parseCertificates, {
    expectation: 'CA certificates to trust for destinations in addition to the public ones, as PEM',
    example: '"$(cat provider-ca.pem)"',
  }),
  clientCertificates: settingWithDefault('STRONGROOM_PROXY_CLIENT_CERTIFICATES', listOf(parseClientCertificate), [], {
    expectation:
      'tenant@host=file entries, each with the id of the tenant whose calls use the certificate and a readable PEM file with the certificate and its key; a tenant is required, because otherwise every tenant could call the host with that certificate',
    example: '0b1c8f0e-6d5c-4a52-9d0a-5f0f5a3f5c11@api.provider.com=/run/secrets/provider.pem',
  }),
  privateRanges: settingWithDefault('STRONGROOM_PROXY_PRIVATE_RANGES', listOf(parseAddressRange), [], {
    expectation: 'address ranges that the proxy may call even though they are not public',
    example: '10.20.0.0/16,fd12:3456::/32',
  }),
  hosts: settingWithDefault('STRONGROOM_PROXY_HOSTS', listOf(parseHost), [], {
    expectation: 'host names that the proxy may call even though they are reserved for internal use',
    example: 'payments.internal',
  }),
  ports: settingWithDefault('STRONGROOM_PROXY_PORTS', listOf(wholeNumber(1, 65_535)), [], {
    expectation: 'ports that the proxy may call in addition to 443',
    example: '8443',
  }),
  resolvers: settingWithDefault('STRONGROOM_PROXY_RESOLVERS', listOf(parseResolver), [], {
    expectation: 'addresses of the DNS servers that resolve destinations, each with an optional port',
    example: '10.0.0.2,[fd12::2]:5353',
    otherwise: 'those of the system',
  }),
};

/** The operator's settings for the proxy. All of them are optional, and none is implied by another. */
export const outbound = group<OutboundConfig>({
  ...settings,
  authorities: optional(settings.authorities),
  ownDestination: always(undefined),
  limits: always(outboundLimits),
});

/** Lists the settings that an operator has changed, by name and without any secret. */
export function describeOutbound(config: OutboundConfig): { readonly setting: string; readonly value: string }[] {
  const set: [Setting<unknown>, readonly string[]][] = [
    [settings.authorities, config.authorities === undefined ? [] : ['set']],
    [settings.clientCertificates, config.clientCertificates.map(({ tenantId, host }) => `${tenantId}@${host}`)],
    [settings.privateRanges, config.privateRanges.map(({ text }) => text)],
    [settings.hosts, config.hosts],
    [settings.ports, config.ports.map(String)],
    [settings.resolvers, config.resolvers],
    [settings.requiresDestinationList, config.requiresDestinationList ? ['true'] : []],
  ];
  return set
    .filter(([, values]) => values.length > 0)
    .map(([{ variable }, values]) => ({ setting: variable, value: values.join(',') }));
}

/** Parses the name of a single host. */
function parseHost(text: string): string | undefined {
  return text.startsWith('*') ? undefined : parseDestinationEntry(text);
}

function parseClientCertificate(text: string): ClientCertificate | undefined {
  const [, tenant = '', name = '', file = ''] = /^([^@=]*)@([^=]*)=(.*)$/.exec(text) ?? [];
  const host = parseHost(name);
  if (!isUuid(tenant) || host === undefined) return undefined;
  try {
    const pem = readFileSync(file, 'utf8');
    const isWhole = /-----BEGIN CERTIFICATE-----/.test(pem) && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem);
    return isWhole ? { tenantId: parseTenantId(tenant), host, pem: new Sensitive(pem) } : undefined;
  } catch {
    return undefined;
  }
}

function parseResolver(text: string): string | undefined {
  const [, address = '', port = '53'] = /^\[?([0-9a-f.:]+?)\]?(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const isAddress = parseIpAddress(text) !== undefined;
  return isAddress || (parseIpAddress(address) !== undefined && Number(port) <= 65_535) ? text : undefined;
}
