import { sightSeries, toSightBars } from '../../charts/sight-bars';
import { StackedBars } from '../../charts/stacked-bars';
import type { Schemas } from '../../api/client';
import { countOf } from '../../parts/show/number';
import { type AuditSearch, showsViews } from './audit-search';

/** Shows records over time, by how much was seen. Dragging over bars narrows the time range to them. */
export function AuditHistogram(histogram: {
  readonly sights: Schemas['LogCounts'];
  readonly outcomes: Schemas['LogCounts'] | undefined;
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
}) {
  const { sights, outcomes, search, choose } = histogram;
  const { buckets, interval, is_exact: isExact, total } = sights;
  const isOneEntity = search.entity_id !== undefined || search.request_id !== undefined;
  const isWhole = showsViews(search) && search.not === undefined;
  const startOf = (index: number) => buckets[index]?.start ?? sights.to;
  return (
    <>
      <StackedBars
        caption={`Records each ${interval}, by how much was seen`}
        bars={toSightBars(sights, outcomes ?? { ...sights, buckets: [] })}
        series={sightSeries}
        height={150}
        onChoose={(first, last) => choose({ from: startOf(first), to: startOf(last + 1), range: undefined })}
      />
      <p className="note">
        {isExact ? '' : 'At most '}
        {countOf(total, 'record')} from sealed counters.
        {isWhole ? '' : ' The chart includes what is left out of the list.'}
        {isOneEntity ? ' It does not know single ids and shows all records of the other filters.' : ''} Drag over the
        chart to look closer.
      </p>
    </>
  );
}
