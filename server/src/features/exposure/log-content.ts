import { type Transform, transforms } from '../../core/access/access-rule.ts';
import type { AuditDetails } from '../../platform/audit/record/audit-event.ts';

/** Cards and bank accounts are tokens too. */
export const tokenKinds: ReadonlySet<string> = new Set(['bank', 'card', 'token']);

export function parseDetails(text: string | null): AuditDetails {
  if (text === null) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `toAuditRow` writes this column, from that type.
  return JSON.parse(text) as AuditDetails;
}

export function parseTransform(text: string | null): Transform | undefined {
  return transforms.find((transform) => transform === text);
}
