import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import { successEvent } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { type InclusionProof, proveInclusion } from '../../../platform/audit/verify/inclusion-proof.ts';
import type { LogReader } from '../../../platform/audit/verify/log-reader.ts';
import { UnprovableError } from '../../../platform/audit/verify/tree-replay.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';

/** Proves to a tenant that a record is in its sealed log. */
export class LogProofs {
  readonly #reader: LogReader;
  readonly #audit: AuditLog;
  /**
   * Anyone with a proof can check its signature with this key. Publish it through another channel too, so that it can
   * be compared.
   */
  readonly publicKey: Buffer;
  /** A proof reads thousands of records again, so a tenant can compute only two at a time. */
  readonly #lanes = new FairLanes({ slotsMax: 4, tenantMax: 2, waitingMax: 20, waitMaxMs: 5_000 });

  constructor(parts: { reader: LogReader; audit: AuditLog; publicKey: Buffer }) {
    this.#reader = parts.reader;
    this.#audit = parts.audit;
    this.publicKey = parts.publicKey;
  }

  async prove(caller: Caller, recordId: string, createdAt: Date): Promise<InclusionProof> {
    const proof = await this.#lanes.run(caller.tenantId, () =>
      proveInclusion(this.#reader, caller.tenantId, recordId, createdAt).catch((error: unknown) => {
        throw error instanceof UnprovableError ? toDomainError(error) : error;
      }),
    );
    await this.#audit.append(caller, successEvent('log', recordId, 'read'));
    return proof;
  }
}

function toDomainError({ reason }: UnprovableError): DomainError {
  switch (reason) {
    case 'no-record':
      return new DomainError('not-found', 'There is no such record.');
    case 'not-sealed':
      return new DomainError('record-not-sealed', 'The record has not been sealed yet. Retry in a few seconds.');
    case 'not-provable':
      return new DomainError(
        'record-not-provable',
        'A part of the log that the proof needs was dropped, or does not match what was sealed.',
      );
  }
}
