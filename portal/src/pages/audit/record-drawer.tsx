import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Link2 } from 'lucide-react';
import { IconButton } from '../../parts/controls/button';
import { CodeBlock } from '../../parts/controls/code-block';
import { CopiedId } from '../../parts/controls/copied-id';
import { Drawer } from '../../parts/overlay/drawer';
import { useToast } from '../../parts/overlay/toast';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { ActorName } from '../../parts/show/actor-name';
import { Fact, Facts } from '../../parts/show/fact';
import { SaidOf, sightLabelOf, sightOf } from '../../parts/show/said';
import { Sight } from '../../parts/show/sight';
import { Time, toUtc } from '../../parts/show/time';
import { type LogRecord, recordQuery } from './audit-queries';
import { RecordProof } from './record-proof';

/** Shows one record and its proof, in front of the list. The arrow keys step through the list. */
export function RecordDrawer(drawer: {
  readonly id: string;
  readonly createdAt: string;
  /** The records of the list behind it. */
  readonly others: readonly LogRecord[];
  readonly onOpen: (record: LogRecord) => void;
  readonly onClose: () => void;
}) {
  const { id, createdAt, others, onOpen, onClose } = drawer;
  const record = useQuery({ ...recordQuery(id, createdAt), initialData: () => others.find((one) => one.id === id) });
  const toast = useToast();
  const step = (by: 1 | -1) => {
    const at = others.findIndex((one) => one.id === id);
    const next = at === -1 ? undefined : others[at + by];
    if (next !== undefined) onOpen(next);
  };
  const copyLink = async () => {
    await navigator.clipboard.writeText(location.href);
    toast({ text: 'Link to this record copied' });
  };
  return (
    <Drawer
      title="Record"
      onClose={onClose}
      onStep={step}
      actions={
        <>
          <IconButton icon={ArrowUp} label="Newer record" onClick={() => step(-1)} />
          <IconButton icon={ArrowDown} label="Older record" onClick={() => step(1)} />
          <IconButton icon={Link2} label="Copy a link to this record" onClick={() => void copyLink()} />
        </>
      }
    >
      <QueryView query={record} what="the record">
        {(found) =>
          found === null ? (
            <Empty title="There is no such record">
              <p>The log may keep records for a shorter time than this link.</p>
            </Empty>
          ) : (
            <>
              <Headline record={found} />
              <RecordFacts record={found} />
              <RecordProof key={found.id} record={found} />
            </>
          )
        }
      </QueryView>
    </Drawer>
  );
}

function Headline({ record }: { readonly record: LogRecord }) {
  const label = sightLabelOf(record);
  return (
    <section>
      <p className="headline">
        <SaidOf record={record} />
      </p>
      <p className="line small">
        <Sight of={sightOf(record)} {...(label === undefined ? {} : { label })} />
        <span className="muted">
          <Time at={record.created_at} form="second" /> · {toUtc(new Date(record.created_at))}
        </span>
      </p>
    </section>
  );
}

const tokenTypes = new Set(['token', 'card', 'bank']);

function RecordFacts({ record }: { readonly record: LogRecord }) {
  const { details, containers, destination, source_address: address, key_id: key, request_id: request } = record;
  return (
    <section>
      <h3>Facts</h3>
      <Facts>
        <Fact name="Who">
          <ActorName id={record.actor_id} type={record.actor_type} />
        </Fact>
        <Fact name="What">
          {record.operation.replaceAll('_', ' ')} of {record.entity_type}, {record.outcome}
        </Fact>
        {record.entity_id === '*' ? null : (
          <Fact name="Id">
            <Entity record={record} />
          </Fact>
        )}
        {containers === undefined ? null : (
          <Fact name="Container">
            <code>{containers.join(', ')}</code>
          </Fact>
        )}
        {destination === undefined ? null : (
          <Fact name="To">
            <code>{destination}</code>
          </Fact>
        )}
        {key === undefined ? null : (
          <Fact name="Key">
            <CopiedId id={key} />{' '}
            <Link to="/audit" search={{ key_id: key }}>
              What it did
            </Link>
          </Fact>
        )}
        {address === undefined ? null : (
          <Fact name="From">
            <code>{address}</code>{' '}
            <Link to="/audit" search={{ source_address: address }}>
              More from there
            </Link>
          </Fact>
        )}
        {request === undefined ? null : (
          <Fact name="Request">
            <CopiedId id={request} isWhole />{' '}
            <Link to="/audit" search={{ request_id: request }}>
              All its records
            </Link>
          </Fact>
        )}
        <Fact name="Record">
          <CopiedId id={record.id} isWhole />
        </Fact>
      </Facts>
      {details === undefined ? null : <CodeBlock label="Details" text={JSON.stringify(details, null, 2)} />}
    </section>
  );
}

function Entity({ record: { entity_id: id, entity_type: type } }: { readonly record: LogRecord }) {
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
