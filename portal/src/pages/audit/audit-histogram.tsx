import { toIntervalLabel } from '../../charts/scale';
import { type Bar, StackedBars } from '../../charts/stacked-bars';
import type { Schemas } from '../../api/client';
import { countOf } from '../../parts/number';
import { outcomes } from '../../parts/record-words';
import type { AuditSearch } from './audit-search';

/** Shows records over time. Dragging over bars narrows the time range to them. */
export function AuditHistogram({
  counts,
  search,
  choose,
}: {
  readonly counts: Schemas['LogCounts'];
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
}) {
  const { buckets, interval, by, is_exact: isExact, total } = counts;
  const isOneEntity = search.entity_id !== undefined || search.request_id !== undefined;
  const series =
    by === 'outcome' ? outcomes.filter(({ name }) => counts.top.some(({ value }) => value === name)) : [all];
  const bars = buckets.map(
    ({ start, total: sum, counts: values }): Bar => ({
      key: start,
      label: toIntervalLabel(new Date(start), interval),
      values:
        by === 'outcome' ? Object.fromEntries(values.map(({ value, records }) => [value, records])) : { all: sum },
    }),
  );
  const startOf = (index: number) => buckets[index]?.start ?? counts.to;
  return (
    <div className="panel">
      <StackedBars
        caption={`Records each ${interval}`}
        bars={bars}
        series={series}
        height={150}
        onChoose={(first, last) => choose({ from: startOf(first), to: startOf(last + 1), range: undefined })}
      />
      <p className="note audit-total">
        {isExact ? '' : 'At most '}
        {countOf(total, 'record')} from sealed counters.
        {isOneEntity ? ' The chart does not know single ids and shows all records of the other filters.' : ''} Drag over
        the chart to look at a part of it.
      </p>
    </div>
  );
}

const all = { name: 'all', label: 'Records', tone: 'accent' } as const;
