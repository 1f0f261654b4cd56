import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { processClock, TimeBudget } from '../../../platform/waiting/time-budget.ts';
import { LogStore } from '../list/log-store.ts';

/** What was found out about an alert. The log holds no text from a caller, so the note is one of a few. */
export const acknowledgementReasons = ['expected', 'investigating', 'handled'] as const;
export type AcknowledgementReason = (typeof acknowledgementReasons)[number];

export interface Acknowledgement {
  /** The id of the record with which the alert was raised. */
  readonly alertId: string;
  readonly raisedAt: Date;
  readonly reason: AcknowledgementReason;
}

/** Finding one record by its time takes milliseconds, unless the counters of the log are far behind. */
const findMs = 2_000;
/** The number of alerts of one millisecond that are compared. */
const alertsMax = 1_000;

/**
 * Acknowledges alerts. The acknowledgement is a record of the log itself, so that nobody can change or remove it, and
 * later ones add to earlier ones.
 */
export class AlertAcknowledgements {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async acknowledge(caller: Caller, { alertId, raisedAt, reason }: Acknowledgement): Promise<void> {
    const { tenantId } = caller;
    await this.#database.forTenant(tenantId, async (tx) => {
      const filter = {
        entityType: undefined,
        entityId: undefined,
        requestId: undefined,
        facets: [{ field: 'operation', value: 'alert' } as const],
        exclusions: [],
        from: raisedAt,
        to: new Date(raisedAt.getTime() + 1),
      };
      const slice = { offset: 0, limit: alertsMax, after: undefined };
      const { logs } = await new LogStore(tx, tenantId).list(filter, slice, new TimeBudget(findMs, processClock));
      const alert = logs.find(({ id }) => id === alertId);
      if (alert === undefined) throw new DomainError('not-found', 'There is no such alert.');
      const { entityType, entityId } = alert;
      const details = { within: alertId, reason };
      await recordInTransaction(tx, tenantId, caller, {
        entityType,
        entityId,
        operation: 'acknowledge',
        outcome: 'success',
        details,
      });
    });
  }
}
