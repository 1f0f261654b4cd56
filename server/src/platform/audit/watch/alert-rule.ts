/** What is watched for, of each key and each user who is signed in. */
export const alertRules = ['misses', 'reveals', 'new-address'] as const;
export type AlertRule = (typeof alertRules)[number];

/** When there is an alert. A threshold of 0 turns its rule off. */
export interface AlertThresholds {
  readonly windowMinutes: number;
  /** Things asked for in a window that do not exist. */
  readonly misses: number;
  /** Different tokens whose plaintext was shown or sent in a window. */
  readonly reveals: number;
  /** A key that is used from more addresses than this is used from anywhere, and one more says nothing. */
  readonly addresses: number;
}

export const defaultThresholds: AlertThresholds = { windowMinutes: 10, misses: 100, reveals: 1_000, addresses: 20 };

/** A rule that a key or a user has broken. */
export interface Alert {
  readonly tenantId: string;
  /** Of the user, if it is about one. */
  readonly keyId: string;
  readonly isUser: boolean;
  readonly rule: AlertRule;
  readonly count: number;
  /** When the window began. */
  readonly from: Date;
}
