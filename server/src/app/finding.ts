/** What an examination says about one thing. */
export interface Finding {
  readonly name: string;
  readonly isOk: boolean;
  /** Set if nothing is broken, but the operator should decide something. */
  readonly isWarning?: boolean;
  /** What was found and, for a failure, what to do. */
  readonly detail: string;
  /** Set if this login or machine cannot see it. */
  readonly isUnknown?: boolean;
  /** What no longer holds, for a problem with what the vault stands on, and what to do about it. */
  readonly promise?: string;
  readonly remedy?: string;
}
