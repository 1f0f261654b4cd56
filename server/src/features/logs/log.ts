import type { EntityType, Operation, Outcome } from '../../platform/audit/audit-event.ts';

/** A record of the audit log, as it is read. */
export interface Log {
  readonly id: string;
  readonly actorId: string | null;
  readonly actorType: string | null;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly createdAt: Date;
}

/** Which records are asked for; times are half open. */
export interface LogFilter {
  readonly entityType: EntityType | undefined;
  readonly entityId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** The last record of the page before. */
export interface LogCursor {
  readonly createdAt: Date;
  readonly id: string;
}
