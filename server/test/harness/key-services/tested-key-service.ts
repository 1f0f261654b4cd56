import type { RootKey } from '../../../src/platform/keyring/kms/root-key.ts';

/** What can go wrong with every key service. `slow` means that it does not respond in time. */
export const troubles = ['disabled', 'denied', 'gone', 'throttled', 'slow', 'unreachable'] as const;
export type Trouble = (typeof troubles)[number];

/** A service that cannot get into a trouble gives the reason. */
export type Cannot = string;

/** A key service that the contract of root keys is tried on: a real one, or an endpoint that speaks its protocol. */
export interface TestedKeyService {
  /** Opens the key as a vault does when it starts. */
  open(): Promise<RootKey>;
  /** Opens another key of the same service. */
  openOther(): Promise<RootKey>;
  /** Brings the service into each trouble. */
  readonly troubles: Readonly<Record<Trouble, (() => void | Promise<void>) | Cannot>>;
  /** Ends every trouble. */
  recover(): void | Promise<void>;
  /** Gives the key a new version, as its owner would. */
  readonly rotate: (() => void | Promise<void>) | Cannot;
  /** Credentials that no error may repeat. */
  readonly secrets: readonly string[];
  stop(): Promise<void>;
}
