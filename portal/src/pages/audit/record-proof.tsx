import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Download, FileCheck, GitMerge, RefreshCw, ShieldCheck, ShieldX, Signature, X } from 'lucide-react';
import { fetchPortal } from '../../api/client';
import { useMember } from '../../api/me';
import { newestKey, sealQuery } from '../../api/seal';
import { Button } from '../../parts/controls/button';
import { CopyBlock } from '../../parts/controls/copy-block';
import type { Shape } from '../../parts/icon';
import { Failure } from '../../parts/page/states';
import { saveFile } from '../../parts/save-file';
import { Glyph } from '../../parts/show/glyph';
import { Tag } from '../../parts/show/tag';
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
  const { data } = verify;
  return (
    <section>
      <div className="line">
        <h3 className="grow">Proof</h3>
        {data === undefined ? null : <Verdict check={data.check} />}
      </div>
      <p className="note">
        The vault hashes every record into a tree and signs its root. Your browser can check that this record is in the
        tree, without trusting what the vault says about it.
      </p>
      {data === undefined ? null : <Steps check={data.check} />}
      <div className="actions">
        <Button
          kind={data === undefined ? 'main' : 'ghost'}
          icon={data === undefined ? ShieldCheck : RefreshCw}
          disabled={verify.isPending}
          onClick={() => verify.mutate()}
        >
          {data === undefined ? 'Verify in this browser' : 'Verify again'}
        </Button>
        {data === undefined ? null : (
          <Button icon={Download} onClick={() => saveFile(toFile(data.text), `proof-${id}.json`)}>
            Download the proof
          </Button>
        )}
      </div>
      {verify.error === null ? null : <Failure error={verify.error} />}
      {data === undefined ? null : (
        <>
          <p className="note">Check it without this vault:</p>
          <CopyBlock
            label="Command that checks the proof"
            text={`strongroom audit check proof.json --public-key ${data.trusted.key}`}
          />
        </>
      )}
      {seal.data === undefined ? null : <AuditKey offered={newestKey(seal.data)} />}
    </section>
  );
}

function toFile(text: string): Blob {
  return new Blob([text], { type: 'application/json' });
}

function Verdict({ check }: { readonly check: ProofCheck }) {
  const holds = isProven(check);
  return (
    <span role="status">
      <Tag tone={holds ? 'good' : 'bad'} icon={holds ? ShieldCheck : ShieldX}>
        {holds ? 'Proven' : 'Not proven'}
      </Tag>
    </span>
  );
}

interface Question {
  readonly name: keyof ProofCheck;
  readonly icon: Shape;
  readonly yes: string;
  readonly no: string;
}

const questions: readonly Question[] = [
  { name: 'isWellFormed', icon: Check, yes: 'It is a proof.', no: 'It is not a proof.' },
  {
    name: 'isOfRecord',
    icon: FileCheck,
    yes: 'It is about this record, in every field.',
    no: 'It is not about this record as shown.',
  },
  {
    name: 'isSigned',
    icon: Signature,
    yes: 'The checkpoint is signed with the key below.',
    no: 'The checkpoint is not signed with the key below.',
  },
  {
    name: 'isIncluded',
    icon: GitMerge,
    yes: 'The hashes lead from this record to the signed root.',
    no: 'The hashes do not lead to the signed root.',
  },
];

function Steps({ check }: { readonly check: ProofCheck }) {
  return (
    <ul className="trail">
      {questions.map(({ name, icon, yes, no }) => (
        <li key={name}>
          <Glyph of={check[name] ? icon : X} tone={check[name] ? 'good' : 'bad'} />
          <p className="said">{check[name] ? yes : no}</p>
        </li>
      ))}
    </ul>
  );
}
