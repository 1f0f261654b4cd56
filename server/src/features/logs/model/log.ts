import type { FacetField } from '../../../platform/audit/record/audit-facet.ts';
import type { EntityType, Operation, Outcome } from '../../../platform/audit/record/audit-event.ts';

/** A record of the audit log, as it is read. */
export interface Log {
  readonly id: string;
  readonly actorId: string | null;
  readonly actorType: string | null;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly operation: Operation;
  readonly outcome: Outcome;
  readonly transform: string | null;
  readonly keyId: string | null;
  readonly requestId: string | null;
  readonly sourceAddress: string | null;
  readonly containers: readonly string[] | null;
  readonly destination: string | null;
  /** JSON text. */
  readonly details: string | null;
  readonly createdAt: Date;
}

/** A value that a column must have, for the columns that are counted by value. */
export interface Facet {
  readonly field: FacetField;
  readonly value: string;
}

/** Which records are asked for; times are half open. */
export interface LogFilter {
  readonly entityType: EntityType | undefined;
  readonly entityId: string | undefined;
  readonly requestId: string | undefined;
  readonly facets: readonly Facet[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** The last record of the page before. */
export interface LogCursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** Some records, newest first. */
export interface LogSlice {
  readonly logs: readonly Log[];
  /** Where a search that took long enough has stopped; undefined if it found what was asked for, or came to the end. */
  readonly stoppedAt?: LogCursor;
}
