import { DomainError } from '../../core/errors/domain-error.ts';
import { type AuditEvent, toMissDetails } from '../../platform/audit/record/audit-event.ts';
import { DestinationRefusal } from '../../platform/outbound/destination-refusal.ts';
import type { ProxyStage } from '../../platform/telemetry/proxy-metrics.ts';
import { proxyEvent } from './proxy-event.ts';

/** Returns the event of a call that ended before its intent was recorded: a denial, or tokens that do not exist. */
export function findRefusalEvent(
  { id, host, stage }: { readonly id: string; readonly host: string | undefined; readonly stage: ProxyStage },
  error: unknown,
): AuditEvent | undefined {
  if (isDenial(error, stage)) return proxyEvent(id, 'denied', host);
  const missing = error instanceof DomainError ? error.missing : undefined;
  return missing === undefined ? undefined : { ...proxyEvent(id, 'missed', host), details: toMissDetails(missing) };
}

/**
 * Returns whether an error is recorded as a denial. This is the case if the caller lacked a permission or if the
 * destination was invalid or not allowed.
 */
function isDenial(error: unknown, stage: ProxyStage): boolean {
  if (error instanceof DestinationRefusal || stage === 'parse') return true;
  return error instanceof DomainError && error.code === 'forbidden';
}
