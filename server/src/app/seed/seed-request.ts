import type { SeedApplicationName } from './seed-applications.ts';

/** In which order requests are sent. They are sent within seconds, and only afterwards moved to their times. */
export const seedPhases = ['create', 'use', 'use-new-key', 'delete'] as const;
export type SeedPhase = (typeof seedPhases)[number];

/** A request that somebody has sent at some time. */
export interface SeedRequest {
  readonly at: Date;
  readonly phase: SeedPhase;
  readonly application: SeedApplicationName;
  /** From where. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The status that it is responded to with. */
  readonly status: number;
  /** Sent with the key of a session, which the application and its backend open for it. */
  readonly isInSession?: boolean;
}

/** Services have few addresses, customers many; all of them are for documentation (RFC 5737, RFC 3849). */
export const seedAddresses = {
  Payments: ['192.0.2.20', '192.0.2.21'],
  'Checkout backend': ['192.0.2.30', '192.0.2.31'],
  'Support desk': ['192.0.2.140', '192.0.2.141', '192.0.2.142', '192.0.2.143'],
  Analytics: ['192.0.2.50'],
  'Fraud review': ['192.0.2.160', '2001:db8:20::7'],
  'CRM sync': ['192.0.2.60'],
  Auditor: ['192.0.2.180'],
} as const;
