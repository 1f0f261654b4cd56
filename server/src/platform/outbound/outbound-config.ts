import type { TenantId } from '../../core/identity/ids.ts';
import type { Sensitive } from '../../core/identity/sensitive.ts';
import type { AddressRange } from '../../core/network/address-range.ts';

/** A certificate chain and its key in one PEM text, shown to one destination on calls of one tenant and to no other. */
export interface ClientCertificate {
  readonly tenantId: TenantId;
  readonly host: string;
  readonly pem: Sensitive<string>;
}

/** Bounds of one call to a destination. */
export interface OutboundLimits {
  /** From the moment that the request has arrived to the last byte of the answer. */
  readonly callMs: number;
  readonly connectMs: number;
  readonly resolveMs: number;
  readonly answerHeaderBytesMax: number;
  readonly answerBodyBytesMax: number;
  /** How fast the long answers of a tenant are passed on, all of them together. */
  readonly answerBytesPerSecond: number;
  /** Interim answers (1xx) that are waited through. */
  readonly interimAnswersMax: number;
}

/** What an operator has decided about calls to the outside. Every exception is named; none follows from anything else. */
export interface OutboundConfig {
  /** Certificate authorities beside those that Node.js brings, as PEM. */
  readonly authorities: string | undefined;
  readonly clientCertificates: readonly ClientCertificate[];
  /** Ranges that may be called although they are not public. */
  readonly privateRanges: readonly AddressRange[];
  /** Names that may be called although they have one label or are meant for internal use. */
  readonly hosts: readonly string[];
  /** Ports that may be called beside 443. */
  readonly ports: readonly number[];
  /** DNS servers; those of the system where there are none. */
  readonly resolvers: readonly string[];
  readonly requiresDestinationList: boolean;
  readonly callsPerTenantMax: number;
  readonly limits: OutboundLimits;
}

export const outboundLimits: OutboundLimits = {
  callMs: 25_000,
  connectMs: 8_000,
  resolveMs: 5_000,
  answerHeaderBytesMax: 32 * 1024,
  answerBodyBytesMax: 64 * 1024 * 1024,
  answerBytesPerSecond: 4 * 1024 * 1024,
  interimAnswersMax: 16,
};
