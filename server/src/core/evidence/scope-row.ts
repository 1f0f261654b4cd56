/**
 * A requirement of PCI DSS 4.0.1 that the vault helps with: a row of docs/pci-scope.md, and a section of an evidence
 * bundle. Texts are Markdown with links relative to `docs`.
 */
export interface ScopeRow {
  readonly id: string;
  /** The numbers of the requirements. */
  readonly requirements: string;
  readonly topic: string;
  /** What the vault does, and what remains for those who run it. */
  readonly vault: string;
  readonly yours: string;
  /** Those of the numbers that were not compared with a public text of the standard. */
  readonly unchecked?: string;
  /** Controls of other standards about the same subject, according to public mappings. */
  readonly related?: readonly string[];
  /** Why an evidence bundle has no fact about it. */
  readonly withoutFacts?: string;
}
