import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { newestKey, sealQuery } from '../../api/seal';
import { CopyBlock } from '../../parts/controls/copy-block';
import { countOf, formatNumber } from '../../parts/show/number';
import { Card, CardBody } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';

type Seal = Schemas['LogSeal'];

/** Shows the keys that verify the audit log, and how much of the log is sealed. */
export function AuditKeys() {
  const seal = useQuery({ ...sealQuery, refetchInterval: 15_000 });
  return (
    <Card
      title="Audit log"
      note="Records are sealed into a signed tree, so that none can be changed or removed unnoticed."
    >
      <QueryView query={seal} what="the state of the log">
        {(found) => (
          <CardBody>
            <SealFacts seal={found} />
            {found.public_keys.map(({ version, public_key: key }) => (
              <div key={version} className="stack-small">
                <h3>Public key, version {version}</h3>
                <CopyBlock label={`Public key, version ${version}`} text={key} />
              </div>
            ))}
            <Pinning publicKey={newestKey(found)?.public_key} />
          </CardBody>
        )}
      </QueryView>
    </Card>
  );
}

function SealFacts({ seal: { checkpoint, waiting, worker, stop } }: { readonly seal: Seal }) {
  const records = waiting.is_exact
    ? countOf(waiting.records, 'record')
    : `more than ${countOf(waiting.records, 'record')}`;
  return (
    <dl className="facts">
      <dt>Sealed</dt>
      <dd>
        {checkpoint === undefined ? (
          'nothing yet'
        ) : (
          <>
            {countOf(checkpoint.tree_size, 'record')}, <Time at={checkpoint.sealed_at} form="ago" /> with checkpoint{' '}
            {formatNumber(checkpoint.number)}
          </>
        )}
      </dd>
      <dt>Waiting</dt>
      <dd>
        {records}
        {waiting.oldest_at === undefined ? null : (
          <>
            , the oldest from <Time at={waiting.oldest_at} form="ago" />
          </>
        )}
      </dd>
      <dt>Worker</dt>
      <dd>
        {worker.is_running ? <Tag tone="good">Running</Tag> : <Tag tone="bad">Not running</Tag>}{' '}
        {worker.looked_at === undefined ? null : (
          <span className="muted">
            last seen <Time at={worker.looked_at} form="ago" />
          </span>
        )}
      </dd>
      {stop === undefined ? null : (
        <>
          <dt>Stopped</dt>
          <dd>
            <Tag tone="bad">Stopped</Tag> <Time at={stop.stopped_at} />: {stop.reason}
          </dd>
        </>
      )}
    </dl>
  );
}

function Pinning({ publicKey }: { readonly publicKey: string | undefined }) {
  if (publicKey === undefined) return null;
  return (
    <>
      <h3>How to pin it</h3>
      <p>
        Keep the public key somewhere that nobody who runs the vault can change, such as a document of your auditors,
        and compare it with one that an operator gave you. A proof that you download from the audit log is then checked
        without trusting the vault:
      </p>
      <CopyBlock
        label="Command that checks a proof"
        text={`strongroom audit check proof.json --public-key ${publicKey}`}
      />
    </>
  );
}
