import type { FacetField } from '../../../platform/audit/record/audit-facet.ts';
import type { EntityType, Operation, Outcome } from '../../../platform/audit/record/audit-event.ts';

/** A record of the audit log, as read from the database. */
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

/** A required value of a column, for the columns that are counted by value. */
export interface Facet {
  readonly field: FacetField;
  readonly value: string;
}

/**
 * Records that are left out: those with a value, or `member_views`, which is what members see by merely looking at pages
 * of the portal.
 */
export type LogExclusion = Facet | { readonly field: 'entity_type'; readonly value: string } | 'member_views';

/** The requested records. Times are half open. */
export interface LogFilter {
  readonly entityType: EntityType | undefined;
  readonly entityId: string | undefined;
  readonly requestId: string | undefined;
  readonly facets: readonly Facet[];
  readonly exclusions: readonly LogExclusion[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** The last record of the previous page. */
export interface LogCursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** A part of the log, newest first. */
export interface LogSlice {
  readonly logs: readonly Log[];
  /** The position at which a search ran out of time. Undefined if it found enough or reached the end. */
  readonly stoppedAt?: LogCursor;
}
