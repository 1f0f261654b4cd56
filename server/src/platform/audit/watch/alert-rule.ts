/** The rules for which each key and each signed-in user is watched. */
export const alertRules = ['misses', 'reveals', 'new-address'] as const;
export type AlertRule = (typeof alertRules)[number];

/** The thresholds for alerts. A threshold of 0 turns its rule off. */
export interface AlertThresholds {
  readonly windowMinutes: number;
  /** The number of requested items in a window that do not exist. */
  readonly misses: number;
  /** The number of different tokens whose plaintext was shown or sent in a window. */
  readonly reveals: number;
  /**
   * The number of known addresses above which a key is assumed to be used from anywhere, so that a new address is not
   * suspicious.
   */
  readonly addresses: number;
}

export const defaultThresholds: AlertThresholds = { windowMinutes: 10, misses: 100, reveals: 1_000, addresses: 20 };

/** A rule violation by a key or a user. */
export interface Alert {
  readonly tenantId: string;
  /** The id of the key, or of the user if the alert is about one. */
  readonly keyId: string;
  readonly isUser: boolean;
  readonly rule: AlertRule;
  readonly count: number;
  /** The start of the window. */
  readonly from: Date;
}
