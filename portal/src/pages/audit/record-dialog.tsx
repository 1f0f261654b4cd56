import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ActorName } from '../../parts/actor-name';
import { CodeBlock } from '../../parts/code-block';
import { CopiedId } from '../../parts/copied-id';
import { Dialog } from '../../parts/dialog';
import { QueryView } from '../../parts/query-view';
import { toneOfOutcome } from '../../parts/record-words';
import { Seen } from '../../parts/seen';
import { Empty } from '../../parts/states';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import { type LogRecord, recordQuery } from './audit-queries';
import { RecordProof } from './record-proof';

/** Shows one record and its proof. */
export function RecordDialog({
  id,
  createdAt,
  onClose,
}: {
  readonly id: string;
  readonly createdAt: string;
  readonly onClose: () => void;
}) {
  const record = useQuery(recordQuery(id, createdAt));
  return (
    <Dialog title={record.data?.message ?? 'Record'} onClose={onClose} isWide>
      <QueryView query={record} what="the record">
        {(found) =>
          found === null ? (
            <Empty title="There is no such record.">
              <p>The log may keep records for a shorter time than this link.</p>
            </Empty>
          ) : (
            <>
              <RecordFacts record={found} />
              <RecordProof record={found} />
            </>
          )
        }
      </QueryView>
    </Dialog>
  );
}

function RecordFacts({ record }: { readonly record: LogRecord }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Time', <Time key="time" at={record.created_at} />],
    [
      'Outcome',
      <Tag key="outcome" tone={toneOfOutcome(record.outcome)}>
        {record.outcome}
      </Tag>,
    ],
    ['Data seen', record.transform === undefined ? undefined : <Seen key="seen" transform={record.transform} />],
    ['Actor', <ActorName key="actor" id={record.actor_id} type={record.actor_type} />],
    ['Operation', `${record.operation.replaceAll('_', ' ')} of a ${record.entity_type}`],
    ['Entity', record.entity_id === '*' ? undefined : <Entity key="entity" record={record} />],
    ['Containers', record.containers?.join(', ')],
    ['Destination', record.destination],
    ['Address', record.source_address],
    ['Key', record.key_id === undefined ? undefined : <CopiedId key="key" id={record.key_id} isWhole />],
    [
      'Request',
      record.request_id === undefined ? undefined : <CopiedId key="request" id={record.request_id} isWhole />,
    ],
    ['Record', <CopiedId key="record" id={record.id} isWhole />],
  ];
  return (
    <>
      <dl className="facts">
        {facts.map(([label, value]) =>
          value === undefined ? null : (
            <div key={label} className="fact">
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {record.details === undefined ? null : (
        <>
          <h3 className="record-title">Details</h3>
          <CodeBlock label="Details" text={JSON.stringify(record.details, null, 2)} />
        </>
      )}
    </>
  );
}

const tokenTypes = new Set(['token', 'card', 'bank']);

function Entity({ record }: { readonly record: LogRecord }) {
  const { entity_id: id, entity_type: type } = record;
  return (
    <>
      <CopiedId id={id} isWhole />{' '}
      {tokenTypes.has(type) ? (
        <Link to="/tokens/$tokenId" params={{ tokenId: id }}>
          Open the token
        </Link>
      ) : null}
      {type === 'application' ? (
        <Link to="/applications/$applicationId" params={{ applicationId: id }}>
          Open the application
        </Link>
      ) : null}
    </>
  );
}
