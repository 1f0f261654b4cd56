import { DomainError } from '../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../core/identity/caller.ts';
import { DestinationFailure } from '../../platform/outbound/destination-failure.ts';
import { DestinationRefusal } from '../../platform/outbound/destination-refusal.ts';

/**
 * Assembles a request from stored values. For a caller with a list of destinations, all failures result in the same
 * error, because the location and reason of a failure would reveal something about values that the caller may only
 * send.
 */
export async function hidingFailures<T>(
  { allowedDestinations }: Pick<KeyCaller, 'allowedDestinations'>,
  assemble: () => Promise<T>,
): Promise<T> {
  try {
    return await assemble();
  } catch (error) {
    if (allowedDestinations === undefined || !(error instanceof DomainError)) throw error;
    throw new DomainError(
      'validation-failed',
      'An expression cannot be applied to the value of its token, or its result does not fit its place. Applications with allowed_destinations are not told which one.',
    );
  }
}

export function reasonOf(error: unknown): string {
  if (error instanceof DestinationRefusal || error instanceof DestinationFailure) return error.reason;
  return error instanceof DomainError ? error.code : 'internal-error';
}

/**
 * Marks an error as recorded. The record of a call is more specific than the general record of a denial, which is then
 * not written.
 */
export function asRecorded(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const { code, message, fields, cause } = error;
  return new DomainError(code, message, { cause, isRecorded: true, ...(fields === undefined ? {} : { fields }) });
}

export function toCallError(error: unknown): unknown {
  if (error instanceof DestinationRefusal) {
    return new DomainError(error.isMalformed ? 'validation-failed' : 'destination-refused', error.message);
  }
  if (!(error instanceof DestinationFailure)) return error;
  const code = error.reason === 'late' ? 'destination-timeout' : 'destination-failed';
  return new DomainError(code, error.message, { cause: error });
}
