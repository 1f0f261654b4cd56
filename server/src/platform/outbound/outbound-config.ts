import type { TenantId } from '../../core/identity/ids.ts';
import type { Sensitive } from '../../core/identity/sensitive.ts';
import type { AddressRange } from '../../core/network/address-range.ts';

/** A certificate chain and its key in one PEM text, used only for calls of one tenant to one destination. */
export interface ClientCertificate {
  readonly tenantId: TenantId;
  readonly host: string;
  readonly pem: Sensitive<string>;
}

/**
 * A destination that this process runs itself. It is called only by this name and port and at this address, and trusted
 * only with this certificate. No setting can configure one, and only `strongroom dev` has one.
 */
export interface OwnDestination {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  /** The certificate as PEM. */
  readonly certificate: string;
}

/** The limits of one call to a destination. */
export interface OutboundLimits {
  /** The time from the arrival of the request to the last byte of the response. */
  readonly callMs: number;
  readonly connectMs: number;
  readonly resolveMs: number;
  readonly answerHeaderBytesMax: number;
  readonly answerBodyBytesMax: number;
  /** The combined rate at which the long responses of a tenant are passed on. */
  readonly answerBytesPerSecond: number;
  /** The maximum number of interim responses (1xx). */
  readonly interimResponsesMax: number;
}

/** The operator's settings for outbound calls. Every exception is explicit, and none is implied. */
export interface OutboundConfig {
  /** Certificate authorities in addition to those of Node.js, as PEM. */
  readonly authorities: string | undefined;
  readonly clientCertificates: readonly ClientCertificate[];
  /** Ranges that may be called even though they are not public. */
  readonly privateRanges: readonly AddressRange[];
  /** Names that may be called even though they have one label or are reserved for internal use. */
  readonly hosts: readonly string[];
  /** Ports that may be called in addition to 443. */
  readonly ports: readonly number[];
  /** DNS servers. If empty, those of the system are used. */
  readonly resolvers: readonly string[];
  readonly ownDestination?: OwnDestination | undefined;
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
  interimResponsesMax: 16,
};
