import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { ActorName } from '../../parts/actor-name';
import { CopiedId } from '../../parts/copied-id';
import { DataTable } from '../../parts/data-table';
import { toneOfOutcome } from '../../parts/record-words';
import { Seen } from '../../parts/seen';
import { Empty } from '../../parts/states';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import type { AuditSearch } from './audit-search';

/** Shows the records of a page, newest first. */
export function AuditTable(table: {
  readonly page: Schemas['LogPage'];
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
}) {
  const { page, search, choose } = table;
  const { next, stopped_at: stoppedAt } = page.pagination;
  if (page.data.length === 0 && next === undefined) {
    return (
      <Empty title="No record fits.">
        <p>Choose a longer time, or remove a filter.</p>
      </Empty>
    );
  }
  return (
    <>
      <DataTable
        caption="Audit records"
        rows={page.data}
        keyOf={({ id, entity_id }) => `${id} ${entity_id}`}
        isChosen={({ id }) => id === search.record}
        columns={[
          { header: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            header: 'What',
            isWide: true,
            cell: (record) => (
              <Link to="/audit" search={{ ...search, record: record.id, record_at: record.created_at }}>
                {record.message}
              </Link>
            ),
          },
          { header: 'Outcome', cell: ({ outcome }) => <Tag tone={toneOfOutcome(outcome)}>{outcome}</Tag> },
          { header: 'Data seen', cell: ({ transform }) => <Seen transform={transform} /> },
          { header: 'Actor', cell: ({ actor_id: id, actor_type: type }) => <ActorName id={id} type={type} /> },
          { header: 'Entity', cell: ({ entity_id: id }) => (id === '*' ? '' : <CopiedId id={id} />) },
          { header: 'Address', cell: ({ source_address }) => <span className="mono">{source_address}</span> },
        ]}
      />
      <nav className="pager" aria-label="Pages">
        <span className="note">
          {stoppedAt === undefined ? null : (
            <>
              Few records fit: searched back to <Time at={stoppedAt} /> so far.
            </>
          )}
        </span>
        <span className="actions">
          {search.start === undefined ? null : (
            <button type="button" onClick={() => choose({ start: undefined })}>
              Newest
            </button>
          )}
          {next === undefined ? null : (
            <button type="button" onClick={() => choose({ start: next })}>
              Older
            </button>
          )}
        </span>
      </nav>
    </>
  );
}
