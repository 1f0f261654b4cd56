import { readFileSync } from 'node:fs';
import { parseDestinationEntry } from '../../core/destinations/destination-list.ts';
import { isUuid, parseTenantId } from '../../core/identity/ids.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { type AddressRange, parseAddressRange } from '../../core/network/address-range.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';
import type { ClientCertificate } from '../outbound/outbound-config.ts';
import type { Setting } from './setting.ts';
import { listOf, parseBoolean, parseCertificates } from './setting-parsers.ts';

export const authorities: Setting<string> = {
  variable: 'STRONGROOM_PROXY_CA',
  expectation: 'CA certificates to trust for destinations in addition to the public ones, as PEM',
  example: '"$(cat provider-ca.pem)"',
  parse: parseCertificates,
};

export const clientCertificates: Setting<readonly ClientCertificate[]> = {
  variable: 'STRONGROOM_PROXY_CLIENT_CERTIFICATES',
  expectation:
    'tenant@host=file entries, each with the id of the tenant whose calls use the certificate and a readable PEM file with the certificate and its key; a tenant is required, because otherwise every tenant could call the host with that certificate',
  example: '0b1c8f0e-6d5c-4a52-9d0a-5f0f5a3f5c11@api.provider.com=/run/secrets/provider.pem',
  parse: listOf(parseClientCertificate),
  fallback: [],
};

export const privateRanges: Setting<readonly AddressRange[]> = {
  variable: 'STRONGROOM_PROXY_PRIVATE_RANGES',
  expectation: 'address ranges that the proxy may call even though they are not public',
  example: '10.20.0.0/16,fd12:3456::/32',
  parse: listOf(parseAddressRange),
  fallback: [],
};

export const hosts: Setting<readonly string[]> = {
  variable: 'STRONGROOM_PROXY_HOSTS',
  expectation: 'host names that the proxy may call even though they are reserved for internal use',
  example: 'payments.internal',
  parse: listOf((text) => (text.startsWith('*') ? undefined : parseDestinationEntry(text))),
  fallback: [],
};

export const ports: Setting<readonly number[]> = {
  variable: 'STRONGROOM_PROXY_PORTS',
  expectation: 'ports that the proxy may call in addition to 443',
  example: '8443',
  parse: listOf((text) => (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined)),
  fallback: [],
};

export const resolvers: Setting<readonly string[]> = {
  variable: 'STRONGROOM_PROXY_RESOLVERS',
  expectation: 'addresses of the DNS servers that resolve destinations, each with an optional port',
  example: '10.0.0.2,[fd12::2]:5353',
  parse: listOf((text) => (isResolver(text) ? text : undefined)),
  fallback: [],
  otherwise: 'those of the system',
};

export const requiresDestinationList: Setting<boolean> = {
  variable: 'STRONGROOM_PROXY_REQUIRE_ALLOWED_DESTINATIONS',
  expectation: 'true or false: whether only applications that list their destinations may use the proxy',
  example: 'true',
  parse: parseBoolean,
  fallback: false,
};

export const callsPerTenantMax: Setting<number> = {
  variable: 'STRONGROOM_PROXY_CALLS_PER_TENANT',
  expectation: 'how many concurrent proxy calls a tenant may have on each server, from 1 to 10000',
  example: '100',
  parse: (text) => (/^[1-9]\d{0,3}$|^10000$/.test(text) ? Number(text) : undefined),
  fallback: 100,
};

function parseClientCertificate(text: string): ClientCertificate | undefined {
  const [, tenant = '', name = '', file = ''] = /^([^@=]*)@([^=]*)=(.*)$/.exec(text) ?? [];
  const host = parseDestinationEntry(name);
  if (!isUuid(tenant) || host === undefined || host.startsWith('*')) return undefined;
  try {
    const pem = readFileSync(file, 'utf8');
    const isWhole = /-----BEGIN CERTIFICATE-----/.test(pem) && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem);
    return isWhole ? { tenantId: parseTenantId(tenant), host, pem: new Sensitive(pem) } : undefined;
  } catch {
    return undefined;
  }
}

function isResolver(text: string): boolean {
  const [, address = '', port] = /^\[?([0-9a-f.:]+?)\]?(?::(\d{1,5}))?$/i.exec(text) ?? [];
  return parseIpAddress(text) !== undefined || (parseIpAddress(address) !== undefined && Number(port ?? 53) <= 65_535);
}
