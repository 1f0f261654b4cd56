import type { EvidenceFact, EvidenceView } from '../../app/evidence/bundle/evidence-schema.ts';
import { toOneLine } from '../../core/text/one-line.ts';

const listedMax = 5;
export const marks = { holds: 'ok  ', attention: 'warn', fails: 'FAIL' } as const;

/** Returns a fact as one line, with what to do. */
export function toTextOfFact(fact: EvidenceFact): string {
  const { id, verdict, sentence, affected, affected_total: total, to_do: remedy } = fact;
  const listed = affected.slice(0, listedMax).map(({ kind, id: of }) => `${kind} ${of}`);
  const more = total > listed.length ? ` and ${total - listed.length} more` : '';
  const parts = [
    sentence.replace(/\.$/, ''),
    ...(verdict === 'holds' || listed.length === 0 ? [] : [`It is about ${listed.join(', ')}${more}`]),
    ...(remedy === null ? [] : [`To do: ${remedy}`]),
  ];
  return toOneLine(`${marks[verdict]} ${id}: ${parts.join('. ')}.`);
}

export function toScopeText({ tenant_id: tenantId }: EvidenceView): string {
  return tenantId === null ? 'the whole vault' : `tenant ${tenantId}`;
}
