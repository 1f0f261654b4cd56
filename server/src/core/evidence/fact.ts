import type { ScopeRowId } from './scope-rows.ts';

/** What the vault says about a fact. `attention` leaves the judgement to people. */
export type Verdict = 'holds' | 'attention' | 'fails';

/** Numbers by name. They are what a sentence is made of. */
export type Figure = Readonly<Record<string, number>>;

/** Something that a fact is about. There are no names, because people choose those and may write anything in them. */
export interface Affected {
  /** Null for a part of the installation. */
  readonly tenantId: string | null;
  readonly kind: string;
  readonly id: string;
}

/** How a reader of the bundle can check a fact without the vault. */
export type FactProof =
  | { readonly file: 'proofs/checkpoints.ndjson' | 'proofs/records.ndjson' | 'proofs/consistency.ndjson' }
  | { readonly notProvable: string };

/** One fact that every bundle contains, whatever the vault is like. */
export interface FactDefinition {
  readonly id: string;
  /** The row of docs/pci-scope.md that the fact belongs to. */
  readonly row: ScopeRowId;
  /** How the figure is found. */
  readonly foundBy: string;
  readonly proof: FactProof;
  /** The numbers of the figure. Those of several tenants are added, or the greatest is taken. */
  readonly figure: Readonly<Record<string, 'sum' | 'greatest'>>;
  /** The verdict if something is affected. A fact that only states what is there has none. */
  readonly weight?: Exclude<Verdict, 'holds'>;
  /** Returns the sentence if nothing is affected, and the one if something is. */
  readonly holds: (figure: Figure) => string;
  readonly found?: (figure: Figure, affected: number) => string;
  /** What to do if something is affected. */
  readonly remedy?: string;
}

/** What was found for one tenant, or for the installation. */
export interface Observation {
  readonly figure: Figure;
  readonly affected: readonly Affected[];
  /** How many are affected, if `affected` does not list them all. */
  readonly affectedTotal?: number;
}

/** A fact as a bundle states it. */
export interface Fact {
  readonly definition: FactDefinition;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly figure: Figure;
  readonly affected: readonly Affected[];
  readonly affectedTotal: number;
  readonly readAt: Date;
}

/** The number of affected things that a fact lists. The others are counted. */
export const affectedMax = 100;
