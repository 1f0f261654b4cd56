import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { fetchPortal } from '../../api/client';
import { useMember } from '../../api/me';
import { newestKey, sealQuery } from '../../api/seal';
import { saveFile } from '../../parts/save-file';
import { Failure } from '../../parts/states';
import { findPinnedKey } from '../../proof/pinned-key';
import { isProven, type ProofCheck, type TrustedKey, verifyProof } from '../../proof/verify-proof';
import { AuditKey } from './audit-key';
import type { LogRecord } from './audit-queries';

interface Verified {
  readonly text: string;
  readonly trusted: TrustedKey;
  readonly check: ProofCheck;
}

/** Fetches the proof of a record and verifies it in the user's browser. */
export function RecordProof({ record }: { readonly record: LogRecord }) {
  const { tenant } = useMember();
  const { id } = record;
  const seal = useQuery(sealQuery);
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: async (): Promise<Verified> => {
      const query = new URLSearchParams({ created_at: record.created_at });
      const text = await (await fetchPortal(`/logs/${id}/proof?${query.toString()}`)).text();
      // The key must be loaded first, because every proof would fail verification without it.
      const offered = newestKey(await queries.ensureQueryData(sealQuery));
      const trusted = findPinnedKey(tenant.id) ?? { version: offered?.version ?? 0, key: offered?.public_key ?? '' };
      return { text, trusted, check: await verifyProof(text, trusted, { ...record, tenant_id: tenant.id }) };
    },
  });
  return (
    <section className="record-proof">
      <h3 className="record-title">Proof</h3>
      <p className="note">
        The vault hashes every record into a tree and signs its root. Your browser can check that this record is in the
        tree, without trusting what the vault says about it.
      </p>
      <div className="actions">
        <button type="button" className="primary" disabled={verify.isPending} onClick={() => verify.mutate()}>
          Verify in this browser
        </button>
        {verify.data === undefined ? null : (
          <button type="button" onClick={() => saveFile(toFile(verify.data.text), `proof-${id}.json`)}>
            Download the proof
          </button>
        )}
      </div>
      {verify.error === null ? null : <Failure error={verify.error} />}
      {verify.data === undefined ? null : <Verdict {...verify.data} />}
      {seal.data === undefined ? null : <AuditKey offered={newestKey(seal.data)} />}
    </section>
  );
}

function toFile(text: string): Blob {
  return new Blob([text], { type: 'application/json' });
}

const questions: readonly (readonly [keyof ProofCheck, string, string])[] = [
  ['isWellFormed', 'It is a proof.', 'It is not a proof.'],
  ['isOfRecord', 'It is about this record, in every field.', 'It is not about this record as shown.'],
  ['isSigned', 'The checkpoint is signed with the key below.', 'The checkpoint is not signed with the key below.'],
  ['isIncluded', 'The hashes lead from this record to the signed root.', 'The hashes do not lead to the signed root.'],
];

function Verdict({ check, trusted }: Verified) {
  const holds = isProven(check);
  return (
    <div className={holds ? 'verdict verdict-good' : 'verdict verdict-bad'} role="status">
      <p className="verdict-title">{holds ? 'Proven' : 'Not proven'}</p>
      <ul>
        {questions.map(([name, yes, no]) => (
          <li key={name}>
            <span aria-hidden="true">{check[name] ? '✓' : '✗'}</span> {check[name] ? yes : no}
          </li>
        ))}
      </ul>
      <p>
        Offline: <code>strongroom audit check proof.json --public-key {trusted.key}</code>
      </p>
    </div>
  );
}
