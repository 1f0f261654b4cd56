import { Link } from '@tanstack/react-router';
import { ChevronRight, SearchX } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { useNames } from '../../api/names';
import { Button } from '../../parts/controls/button';
import { Icon } from '../../parts/icon';
import { Empty } from '../../parts/page/states';
import { byDay, type Fold, fold } from '../../parts/show/fold';
import { countOf } from '../../parts/show/number';
import { type LogRecord, SaidOf, sightLabelOf, sightOf } from '../../parts/show/said';
import { Sight } from '../../parts/show/sight';
import { Time, toDayName } from '../../parts/show/time';
import { type AuditSearch, showsViews } from './audit-search';

interface Records {
  readonly page: Schemas['LogPage'];
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
  /** True while the records of the previous filters are still shown. */
  readonly isOld: boolean;
}

/** Shows the records of a page as sentences, newest first. Page views of members and repetitions are folded. */
export function AuditRecords({ page, search, choose, isOld }: Records) {
  const { next, stopped_at: stoppedAt } = page.pagination;
  if (page.data.length === 0 && next === undefined) {
    return (
      <div className="card">
        <Empty
          icon={SearchX}
          title="No record fits"
          actions={
            <>
              <Button onClick={() => choose({ range: '90d', from: undefined, to: undefined })}>Last 90 days</Button>
              {showsViews(search) ? null : <Button onClick={() => choose({ views: 'shown' })}>Show page views</Button>}
            </>
          }
        >
          <p>Choose a longer time, remove a filter, or show page views of members.</p>
        </Empty>
      </div>
    );
  }
  return (
    <div className="stack">
      <div className="card log" aria-busy={isOld} role="group" aria-label="Audit records">
        {byDay(fold(page.data)).map(([day, folds]) => (
          <section key={day}>
            <h2 className="log-day">{toDayName(day)}</h2>
            <ul>
              {folds.map((one) => (
                <li key={keyOf(one.records[0])}>
                  <Folded fold={one} search={search} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <nav className="pager" aria-label="Pages">
        <span>
          {stoppedAt === undefined ? (
            countOf(page.data.length, 'record')
          ) : (
            <>
              Few records fit: searched back to <Time at={stoppedAt} form="exact" /> so far.
            </>
          )}
        </span>
        <span className="actions">
          {search.start === undefined ? null : (
            <Button isSmall onClick={() => choose({ start: undefined })}>
              Newest
            </Button>
          )}
          {next === undefined ? null : (
            <Button isSmall onClick={() => choose({ start: next })}>
              Older
              <Icon of={ChevronRight} isSmall />
            </Button>
          )}
        </span>
      </nav>
    </div>
  );
}

/** A record of a request about several tokens has the same id for each of them. */
function keyOf({ id, entity_id: entity }: LogRecord): string {
  return `${id} ${entity}`;
}

function Folded({ fold: { kind, records }, search }: { readonly fold: Fold<LogRecord>; readonly search: AuditSearch }) {
  const names = useNames();
  const [first] = records;
  if (kind === 'record') return <Entry record={first} search={search} />;
  const who = [...new Set(records.map(({ actor_id: id }) => names.get(id ?? '')?.name ?? 'a member'))];
  return (
    <details className="log-fold">
      <summary>
        <Time at={first.created_at} form="clock" />
        <span>
          {kind === 'views' ? `${listOf(who)} looked at pages` : <SaidOf record={first} />}{' '}
          <span className="tag tag-neutral">
            {kind === 'views' ? countOf(records.length, 'view') : countOf(records.length, 'record')}
          </span>
        </span>
      </summary>
      <ul>
        {records.map((record) => (
          <li key={keyOf(record)}>
            <Entry record={record} search={search} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Lists names as people do, for example "Mara and Tobias" or "Mara and 3 others". */
function listOf(names: readonly string[]): string {
  if (names.length <= 2) return names.join(' and ');
  return `${names[0] ?? ''} and ${countOf(names.length - 1, 'other')}`;
}

function Entry({ record, search }: { readonly record: LogRecord; readonly search: AuditSearch }) {
  const label = sightLabelOf(record);
  return (
    <Link
      to="/audit"
      search={{ ...search, record: record.id, record_at: record.created_at }}
      resetScroll={false}
      className="log-entry"
      aria-current={record.id === search.record ? 'true' : undefined}
    >
      <Time at={record.created_at} form="clock" />
      <SaidOf record={record} />
      <Sight of={sightOf(record)} {...(label === undefined ? {} : { label })} />
      <span className="log-from">{record.source_address}</span>
    </Link>
  );
}
