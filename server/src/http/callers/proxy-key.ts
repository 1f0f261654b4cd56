import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Identity, KeyCaller } from '../../core/identity/caller.ts';
import { isInRange, parseAddressOrRange } from '../../core/network/address-range.ts';
import { parseIpAddress } from '../../core/network/ip-address.ts';
import { type ApplicationKeyId, type TenantId, toId } from '../../core/identity/ids.ts';

/** The rights of an application that a stored proxy lends to its callers. */
interface LentRights extends Pick<Identity, 'applicationId' | 'grants'> {
  /** False if the application is deleted, has expired or awaits approval. */
  readonly isUsable: boolean;
}

/** A stored proxy as its key identifies it. */
export interface KeyedRoute {
  readonly tenantId: TenantId;
  readonly id: string;
  /** Counts changes. A call is refused if the proxy has changed since the caller was admitted. */
  readonly version: number;
  readonly requireAuth: boolean;
  /** The networks that calls may come from. Any, if there are none. */
  readonly allowedSources: readonly string[];
  readonly isTenantDeleted: boolean;
  /** Undefined if the rights of the caller apply. */
  readonly lent: LentRights | undefined;
}

/** Finds stored proxies by their keys. Implemented by the stored proxies feature. */
export interface ProxyKeys {
  /** Returns undefined for a key that is malformed or unknown. */
  find(key: string): Promise<KeyedRoute | undefined>;
}

const header = 'bt-proxy-key';
const named = new WeakMap<FastifyRequest, KeyedRoute & { readonly isKeyless: boolean }>();

/** Returns the proxy that a request has been admitted to, if it named one. */
export function routeOf(request: FastifyRequest): (KeyedRoute & { readonly isKeyless: boolean }) | undefined {
  return named.get(request);
}

export function noteRoute(request: FastifyRequest, route: KeyedRoute, isKeyless: boolean): void {
  named.set(request, { ...route, isKeyless });
}

/** Returns the key that a request names in its header or else in its query. */
export function proxyKeyOf(request: FastifyRequest): string | undefined {
  if (request.routeOptions.config.takesProxyKey !== true) return undefined;
  const given = request.headers[header];
  if (typeof given === 'string') return given;
  return splitQuery(queryOf(request.raw.url)).key;
}

export function queryOf(url = ''): string {
  const question = url.indexOf('?');
  return question < 0 ? '' : url.slice(question + 1);
}

/** Takes the key of the proxy out of a query, which is otherwise kept as it was written. */
export function splitQuery(query: string): { readonly key: string | undefined; readonly rest: string } {
  const fields = query.split('&');
  const isKey = (field: string) => field.toLowerCase().startsWith(`${header}=`);
  const key = fields.find(isKey)?.slice(header.length + 1);
  return { key, rest: fields.filter((field) => !isKey(field)).join('&') };
}

/** Returns the caller with the rights that the proxy lends, and no others. The caller stays the actor of all records. */
export function withLentRights(caller: KeyCaller, { id, lent }: KeyedRoute): KeyCaller {
  if (lent === undefined) return { ...caller, throughProxy: id };
  return { ...caller, applicationType: 'private', grants: lent.grants, throughProxy: id };
}

/** Returns the caller of a proxy that needs no API key: its application. The key of the record is the proxy itself. */
export function toKeylessCaller(
  { id, tenantId, lent, isTenantDeleted }: KeyedRoute,
  request: { readonly requestId: string; readonly sourceAddress: string },
): KeyCaller {
  if (lent === undefined) throw new DomainError('unauthenticated', 'The BT-API-KEY header is required.');
  return {
    ...request,
    tenantId,
    applicationId: lent.applicationId,
    applicationType: 'private',
    keyId: toId<ApplicationKeyId>(id),
    grants: lent.grants,
    throughProxy: id,
    ...(isTenantDeleted ? { isTenantDeleted } : {}),
  };
}

/** Throws if the proxy does not take calls from an address. */
export function requireAllowedSource({ allowedSources }: KeyedRoute, sourceAddress: string): void {
  if (allowedSources.length === 0) return;
  const address = parseIpAddress(sourceAddress);
  const isAllowed = allowedSources.some((text) => {
    const range = parseAddressOrRange(text);
    return address !== undefined && range !== undefined && isInRange(address, range);
  });
  if (!isAllowed) throw new DomainError('forbidden', 'The proxy takes no calls from this address.');
}

export function requireUsableRights({ lent }: KeyedRoute): void {
  if (lent?.isUsable !== false) return;
  throw new DomainError('forbidden', 'The application of the proxy is deleted, has expired or awaits approval.');
}
