import type { SeedApplicationName } from './seed-applications.ts';

/**
 * The order in which requests are sent. They are all sent within seconds, and their records are moved to the planned
 * times afterwards.
 */
export const seedPhases = ['create', 'use', 'use-new-key', 'delete'] as const;
export type SeedPhase = (typeof seedPhases)[number];

/** A request with its time and sender. */
export interface SeedRequest {
  readonly at: Date;
  readonly phase: SeedPhase;
  readonly application: SeedApplicationName;
  /** The client address. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The expected status of the response. */
  readonly status: number;
  /** True if the request is sent with a session key, for which the application and its backend open a session. */
  readonly isInSession?: boolean;
}

/**
 * The client addresses of each service. Services have few addresses, and customers have many. All of them are reserved
 * for documentation (RFC 5737, RFC 3849).
 */
export const seedAddresses = {
  Payments: ['192.0.2.20', '192.0.2.21'],
  'Checkout backend': ['192.0.2.30', '192.0.2.31'],
  'Support desk': ['192.0.2.140', '192.0.2.141', '192.0.2.142', '192.0.2.143'],
  Analytics: ['192.0.2.50'],
  'Fraud review': ['192.0.2.160', '2001:db8:20::7'],
  'CRM sync': ['192.0.2.60'],
  Auditor: ['192.0.2.180'],
} as const;
