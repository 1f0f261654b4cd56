import type { Fact, Verdict } from '../../../core/evidence/fact.ts';
import type { ScopeRow } from '../../../core/evidence/scope-row.ts';
import { scopeRows } from '../../../core/evidence/scope-rows.ts';
import { type EvidenceFact, evidenceFormat, type EvidenceView, statement } from './evidence-schema.ts';

/** What was collected, and when. */
export interface CollectedEvidence {
  readonly facts: readonly Fact[];
  readonly version: string;
  readonly publicKey: Buffer;
  readonly tenantId: string | undefined;
  readonly tenants: number;
  readonly period: { readonly from: Date; readonly to: Date };
  readonly startedAt: Date;
  readonly finishedAt: Date;
}

/** Returns the facts in the rows of docs/pci-scope.md, in the order of that page. */
export function toEvidenceView(collected: CollectedEvidence): EvidenceView {
  const { facts, period } = collected;
  const countOf = (wanted: Verdict) => facts.filter(({ verdict }) => verdict === wanted).length;
  return {
    format: evidenceFormat,
    statement,
    standard: 'PCI DSS 4.0.1',
    version: collected.version,
    public_key: collected.publicKey.toString('base64'),
    tenant_id: collected.tenantId ?? null,
    tenants: collected.tenants,
    period: { from: period.from.toISOString(), to: period.to.toISOString() },
    started_at: collected.startedAt.toISOString(),
    finished_at: collected.finishedAt.toISOString(),
    totals: { holds: countOf('holds'), attention: countOf('attention'), fails: countOf('fails') },
    rows: scopeRows.map((row: ScopeRow) => ({
      id: row.id,
      requirements: row.requirements,
      topic: row.topic,
      vault: toPlainText(row.vault),
      yours: toPlainText(row.yours),
      unchecked: row.unchecked ?? null,
      related: [...(row.related ?? [])],
      without_facts: row.withoutFacts ?? null,
      facts: facts.filter(({ definition }) => definition.row === row.id).map(toFactView),
    })),
  };
}

/** Returns a fact as JSON. `strongroom doctor --pci` prints the same. */
export function toFactView(fact: Fact): EvidenceFact {
  const { definition, affected, affectedTotal, readAt } = fact;
  const { proof } = definition;
  return {
    id: definition.id,
    verdict: fact.verdict,
    sentence: fact.sentence,
    figure: { ...fact.figure },
    affected: affected.map(({ tenantId, kind, id }) => ({ tenant_id: tenantId, kind, id })),
    affected_total: affectedTotal,
    found_by: definition.foundBy,
    proof: 'file' in proof ? { file: proof.file } : { not_provable: proof.notProvable },
    read_at: readAt.toISOString(),
    to_do: fact.verdict === 'holds' ? null : (definition.remedy ?? null),
  };
}

/** Removes the marks of Markdown, and the targets of links. */
function toPlainText(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
