import { DomainError } from '../../core/errors/domain-error.ts';
import type { ApplicationId, TenantId } from '../../core/identity/ids.ts';
import type { Sensitive } from '../../core/identity/sensitive.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { CallerProofForm } from '../../platform/keyring/sign-in/caller-proof.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/record/audit-event.ts';

/** A transform as the API takes and shows it. It contains names and expressions, but no values of tokens. */
export type GivenTransform = JsonObject;

/** The settings that the creator of a proxy chooses. */
export interface ProxySettings {
  readonly name: string;
  readonly destinationUrl: string;
  /** False if callers need no API key, only the key of the proxy. */
  readonly requireAuth: boolean;
  /** The application whose rights apply. Null for those of the caller. */
  readonly applicationId: ApplicationId | null;
  /** The transforms as the API takes and shows them. They have been checked. */
  readonly requestTransforms: readonly GivenTransform[];
  readonly responseTransforms: readonly GivenTransform[];
  readonly timeoutSeconds: number | null;
  readonly disableDetokenization: boolean;
  /** The networks and addresses that calls may come from. Any, if there are none. */
  readonly allowedSources: readonly string[];
  /** What a caller must prove before anything of its request is read. */
  readonly callerCheck: CallerCheck | null;
}

/** A proof in a header, made with a secret of the configuration. */
export interface CallerCheck extends CallerProofForm {
  readonly header: string;
  /** The name of the secret. */
  readonly secret: string;
}

/** A stored proxy without its secrets. */
export interface StoredProxy extends ProxySettings {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly version: number;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

export type Configuration = Readonly<Record<string, string>>;

/** What is sealed: the key that names the proxy, and the secrets that its transforms use. */
export interface ProxySecrets {
  readonly key: Sensitive<string>;
  readonly configuration: Sensitive<Configuration>;
}

export type WholeProxy = StoredProxy & { readonly secrets: ProxySecrets };

/** The maximum number of stored proxies of a tenant. */
export const storedProxiesMax = 200;

/** The minimum length of a secret with which callers prove who they are. */
export const callerSecretMin = 16;

/** Returns the audit event of an operation on a proxy, with the host that its calls go to. */
export function storedProxyEvent(id: string, operation: Operation, host?: string): AuditEvent {
  const event = successEvent('proxy', id, operation);
  return host === undefined ? event : { ...event, destination: host };
}

/** Returns whether secrets that were given for one destination may be sent to the other. */
export const isSameHost = (one: string, other: string): boolean => new URL(one).host === new URL(other).host;

export function noSuchProxy(): DomainError {
  return new DomainError('not-found', 'There is no such proxy.');
}
