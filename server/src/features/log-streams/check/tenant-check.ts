import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { hashRecord } from '../../../platform/audit/seal/audit-record.ts';
import { MerkleFrontier } from '../../../platform/audit/seal/merkle-tree.ts';
import type { SealedRoot } from '../../../platform/audit/verify/anchor-comparison.ts';
import { isGenuine } from '../../../platform/audit/seal/checkpoint.ts';
import type { StoredCheckpoint } from '../../../platform/audit/seal/checkpoint-row.ts';
import { type Finding, LogVerifier, type TenantVerdict } from '../../../platform/audit/verify/log-verifier.ts';
import { LeafHashes } from './leaf-hashes.ts';
import type { ReceivedLine } from './parse-line.ts';

export interface TenantStreamVerdict extends TenantVerdict {
  /** The number of records before the first one of the stream. */
  readonly beginsAt: number;
  readonly repeated: number;
  /** Records after the last checkpoint, for which nothing vouches yet. */
  readonly uncovered: number;
}

type WaitingCheckpoint = Extract<ReceivedLine, { kind: 'checkpoint' }>;

/**
 * Rebuilds the log of one tenant from the lines of a stream and verifies it. Lines may be repeated and out of order:
 * whatever cannot be verified yet waits.
 */
export class TenantCheck {
  readonly roots = new Map<number, SealedRoot>();
  readonly #tenantId: string;
  readonly #publicKey: Buffer;
  readonly #records = new Map<number, AuditRecord>();
  readonly #checkpoints = new Map<number, WaitingCheckpoint>();
  readonly #findings: Finding[] = [];
  #verifier: LogVerifier | undefined;
  #leaves = new LeafHashes(0);
  #at = { number: 0, size: 0 };
  #beginsAt = 0;
  #repeated = 0;

  constructor(tenantId: string, publicKey: Buffer) {
    this.#tenantId = tenantId;
    this.#publicKey = publicKey;
  }

  /** The number of records and checkpoints that wait for each other or for earlier records. */
  get waiting(): number {
    return this.#records.size + this.#checkpoints.size;
  }

  add(line: ReceivedLine): void {
    if (line.kind === 'record') this.#addRecord(line.position, line.record);
    else this.#addCheckpoint(line);
    this.#advance();
  }

  /** Verifies the next checkpoint with whatever is there, which reports what is missing. */
  force(): boolean {
    // There can be more of them than a function has parameters.
    let next: number | undefined;
    for (const number of this.#checkpoints.keys()) next = Math.min(next ?? number, number);
    if (next === undefined) return false;
    this.#verify(next);
    this.#advance();
    return true;
  }

  finish(): TenantStreamVerdict {
    while (this.force());
    const verdict = this.#open().finish();
    this.#checkUncovered();
    return {
      ...verdict,
      findings: [...verdict.findings, ...this.#findings],
      beginsAt: this.#beginsAt,
      repeated: this.#repeated,
      uncovered: this.#records.size,
    };
  }

  /** Reports a gap among the records after the last checkpoint. */
  #checkUncovered(): void {
    const { size } = this.#at;
    const end = [...this.#records.keys()].reduce((most, position) => Math.max(most, position + 1), size);
    if (end === size + this.#records.size) return;
    const message = `Records between ${size} and ${end - 1} are missing, which no checkpoint covers yet.`;
    this.#find('records-missing', message);
  }

  #addRecord(position: number, record: AuditRecord): void {
    const waiting = this.#records.get(position);
    if (waiting === undefined && position >= this.#at.size) {
      this.#records.set(position, record);
      return;
    }
    const hash = hashRecord(record);
    const isSame = waiting === undefined ? this.#leaves.has(position, hash) : hashRecord(waiting).equals(hash);
    if (isSame) this.#repeated += 1;
    else
      this.#find('records-changed', `A line says something else about record ${position} than the log does.`, [
        record.id,
      ]);
  }

  #addCheckpoint(line: WaitingCheckpoint): void {
    const { checkpoint, mark } = line;
    const { number, treeSize, root } = checkpoint;
    if (mark === 'base' && this.#verifier === undefined) {
      this.#verifier = new LogVerifier({ tenantId: this.#tenantId, publicKey: this.#publicKey, after: checkpoint });
      this.#at = { number, size: treeSize };
      this.#beginsAt = treeSize;
      this.#leaves = new LeafHashes(treeSize);
      this.roots.set(number, { treeSize, root });
      return;
    }
    const known = this.roots.get(number) ?? this.#checkpoints.get(number)?.checkpoint;
    if (known === undefined) this.#checkpoints.set(number, line);
    else if (!known.root.equals(root) || known.treeSize !== treeSize || !this.#isSound(checkpoint)) {
      this.#find('checkpoint-changed', `There are two different checkpoints ${number}.`);
    }
  }

  #isSound(checkpoint: StoredCheckpoint): boolean {
    const frontier = MerkleFrontier.parse(checkpoint.treeSize, checkpoint.frontier);
    return isGenuine(checkpoint, this.#publicKey) && frontier?.root().equals(checkpoint.root) === true;
  }

  /** Verifies checkpoints as long as the next one and its records are there. */
  #advance(): void {
    for (;;) {
      const next = this.#checkpoints.get(this.#at.number + 1);
      if (next === undefined || !this.#isComplete(next)) return;
      this.#verify(next.checkpoint.number);
    }
  }

  #isComplete({ checkpoint, mark }: WaitingCheckpoint): boolean {
    if (mark === 'dropped') return true;
    if (this.#records.size < checkpoint.treeSize - this.#at.size) return false;
    for (let position = this.#at.size; position < checkpoint.treeSize; position += 1) {
      if (!this.#records.has(position)) return false;
    }
    return true;
  }

  #verify(number: number): void {
    const line = this.#checkpoints.get(number);
    if (line === undefined) return;
    this.#checkpoints.delete(number);
    const { checkpoint, mark } = line;
    const records = this.#positionsBelow(checkpoint.treeSize).flatMap((position) => this.#take(position));
    this.#open().check({ checkpoint, records: mark === 'dropped' && records.length === 0 ? 'dropped' : records });
    this.#at = { number, size: Math.max(checkpoint.treeSize, this.#at.size) };
    this.roots.set(number, { treeSize: checkpoint.treeSize, root: checkpoint.root });
  }

  /** Returns positions up to this one, in order. A checkpoint that nobody signed can claim a tree of any size. */
  #positionsBelow(end: number): readonly number[] {
    const { size } = this.#at;
    if (end - size <= this.#records.size) return Array.from({ length: Math.max(end - size, 0) }, (_, at) => size + at);
    return [...this.#records.keys()].filter((position) => position < end).toSorted((a, b) => a - b);
  }

  #take(position: number): AuditRecord[] {
    const record = this.#records.get(position);
    this.#records.delete(position);
    if (record === undefined) return [];
    this.#leaves.set(position, hashRecord(record));
    return [record];
  }

  #open(): LogVerifier {
    this.#verifier ??= new LogVerifier({ tenantId: this.#tenantId, publicKey: this.#publicKey });
    return this.#verifier;
  }

  #find(kind: Finding['kind'], message: string, records?: readonly string[]): void {
    this.#findings.push({ kind, tenantId: this.#tenantId, message, ...(records === undefined ? {} : { records }) });
  }
}
