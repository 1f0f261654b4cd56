import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNames } from '../../api/names';
import { BarList } from '../../charts/bar-list';
import { toIntervalLabel } from '../../charts/scale';
import { StackedBars } from '../../charts/stacked-bars';
import type { Schemas } from '../../api/client';
import { usageQuery } from '../../api/usage';
import { Page, Section } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { outcomes } from '../../parts/record-words';
import { Concerns } from './concerns';
import { FirstToken } from './first-token';
import { OldestKeys } from './oldest-keys';
import { daysShown, facetsQuery, outcomesQuery, valuesOf } from './overview-queries';
import { Stats } from './stats';

/** Shows recent activity, the number of stored tokens, and problems that need attention. */
export function OverviewPage() {
  const counts = useQuery(outcomesQuery);
  const usage = useQuery(usageQuery);
  return (
    <Page title="Overview">
      {usage.data?.total_tokens === 0 ? <FirstToken /> : null}
      <Concerns />
      <Stats />
      <Section
        title="Operations a day"
        note={`The last ${daysShown} days, by outcome.`}
        actions={
          <Link to="/audit" search={{ range: '30d' }}>
            Open in the audit log
          </Link>
        }
      >
        <QueryView query={counts} what="the chart">
          {(data) => <OutcomeChart counts={data} />}
        </QueryView>
      </Section>
      <div className="columns overview-columns">
        <Section title="Tokens by type">
          <QueryView query={usage} what="tokens">
            {({ token_report: report }) => <TokenTypes report={report} />}
          </QueryView>
        </Section>
        <Section title="Most active" note={`Applications and members, ${daysShown} days.`}>
          <TopValues field="actor_id" caption="Most active" />
        </Section>
        <Section title="Operations" note={`${daysShown} days.`}>
          <TopValues field="operation" caption="Operations" />
        </Section>
        <Section title="Oldest keys">
          <OldestKeys />
        </Section>
      </div>
    </Page>
  );
}

function OutcomeChart({ counts }: { readonly counts: Schemas['LogCounts'] }) {
  return (
    <div className="panel">
      <StackedBars
        caption="Operations each day by outcome"
        height={200}
        series={outcomes.filter(({ name }) => counts.top.some(({ value }) => value === name))}
        bars={counts.buckets.map(({ start, counts: values }) => ({
          key: start,
          label: toIntervalLabel(new Date(start), 'day'),
          values: Object.fromEntries(values.map(({ value, records }) => [value, records])),
        }))}
      />
    </div>
  );
}

function TokenTypes({ report }: { readonly report: Schemas['TokenReport'] }) {
  const shares = Object.entries(report.metrics_by_type)
    .map(([type, { count }]) => ({
      key: type,
      value: count,
      label: (
        <Link to="/tokens" search={{ type }}>
          {type}
        </Link>
      ),
    }))
    .toSorted((a, b) => b.value - a.value);
  return (
    <div className="panel">
      <BarList caption="Tokens by type" shares={shares} />
    </div>
  );
}

/** The maximum number of lines in a list on the page. */
const linesMax = 8;

/** Shows the most frequent values of a field, each with a link to its records. */
function TopValues({ field, caption }: { readonly field: 'actor_id' | 'operation'; readonly caption: string }) {
  const names = useNames();
  return (
    <QueryView query={useQuery(facetsQuery)} what={caption}>
      {(facets) => (
        <div className="panel">
          <BarList
            caption={caption}
            shares={valuesOf(facets, field)
              .slice(0, linesMax)
              .map(({ value, records }) => ({
                key: value,
                value: records,
                label: (
                  <Link to="/audit" search={{ range: '30d', [field]: value }}>
                    {names.get(value)?.name ?? value.replaceAll('_', ' ')}
                  </Link>
                ),
              }))}
          />
        </div>
      )}
    </QueryView>
  );
}
