import { counted } from '../../../core/text/counted.ts';
import type { EvidenceView } from '../bundle/evidence-schema.ts';

const dayMs = 86_400_000;
/** Months differ by this part of their length at most. */
const lengthsMin = 0.9;

/** Returns why two bundles cannot be compared, or undefined. */
export function findIncomparable(earlier: EvidenceView, later: EvidenceView): string | undefined {
  if (earlier.public_key !== later.public_key) return 'The bundles are of different vaults.';
  if (earlier.tenant_id !== later.tenant_id)
    return `The bundles are about different things: the earlier about ${toScope(earlier)}, the later about ${toScope(later)}.`;
  if (earlier.finished_at > later.finished_at)
    return `The bundle that is named first was taken at ${earlier.finished_at}, after the other. Name the earlier one first.`;
  return undefined;
}

/** Returns what a reader has to know before reading the differences. */
export function toComparisonNotes(earlier: EvidenceView, later: EvidenceView): string[] {
  const [before, now] = [toLengthMs(earlier), toLengthMs(later)];
  const isOfOneLength = Math.min(before, now) >= lengthsMin * Math.max(before, now);
  return [
    ...(isOfOneLength
      ? []
      : [
          `The periods have ${toDays(before)} and ${toDays(now)}. Figures that count what happened in a period differ for that reason alone.`,
        ]),
    ...(earlier.version === later.version
      ? []
      : [
          `Version ${earlier.version} wrote the earlier bundle and ${later.version} the later. Facts can appear and vanish with the version.`,
        ]),
    ...(earlier.tenants === later.tenants
      ? []
      : [`The earlier bundle is about ${counted(earlier.tenants, 'tenant')}, the later about ${later.tenants}.`]),
  ];
}

function toScope({ tenant_id: tenantId }: EvidenceView): string {
  return tenantId === null ? 'the whole vault' : `tenant ${tenantId}`;
}

function toLengthMs({ period }: EvidenceView): number {
  return Date.parse(period.to) - Date.parse(period.from);
}

function toDays(ms: number): string {
  return counted(Math.round(ms / dayMs), 'day');
}
