import { DomainError } from '../../core/errors/domain-error.ts';
import { nameOf } from '../../core/errors/thrown.ts';
import { StatementError } from '../database/database-error.ts';
import { DestinationFailure } from '../outbound/destination-failure.ts';
import { DestinationRefusal } from '../outbound/destination-refusal.ts';

/**
 * Returns the name of a failure for a span. It is an identifier that the vault defines, never an error message, which
 * could quote a value.
 */
export function failureName(thrown: unknown): string {
  if (thrown instanceof DomainError) return thrown.code;
  if (thrown instanceof DestinationFailure || thrown instanceof DestinationRefusal) return thrown.reason;
  if (thrown instanceof StatementError) return thrown.sqlState;
  return nameOf(thrown);
}
