import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usageQuery } from '../../api/usage';
import { BarList } from '../../charts/bar-list';
import { sightSeries, toSightBars } from '../../charts/sight-bars';
import { type Bar, StackedBars } from '../../charts/stacked-bars';
import type { Schemas } from '../../api/client';
import { useNames } from '../../api/names';
import { Icon } from '../../parts/icon';
import { Card, CardBody } from '../../parts/page/card';
import { Loading } from '../../parts/page/loading';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Failure } from '../../parts/page/states';
import { kindOf } from '../../parts/show/token-kind';
import { Concerns } from './concerns';
import { FirstToken } from './first-token';
import { LogIntegrity } from './log-integrity';
import { facetsQuery, outcomesQuery, sightsQuery, valuesOf } from './overview-queries';
import { RecentReveals } from './recent-reveals';
import { Stats } from './stats';

/** Shows what needs attention, recent activity, and what is stored. */
export function OverviewPage() {
  const outcomes = useQuery(outcomesQuery);
  const sights = useQuery(sightsQuery);
  const usage = useQuery(usageQuery);
  const bars =
    outcomes.data === undefined || sights.data === undefined ? undefined : toSightBars(sights.data, outcomes.data);
  const error = outcomes.error ?? sights.error;
  return (
    <Page title="Overview" docs="portal" hasTimes>
      {usage.data?.total_tokens === 0 ? <FirstToken /> : null}
      <Concerns />
      <Stats bars={bars} />
      <Card
        title="Operations a day"
        actions={
          <Link to="/audit" search={{ range: '30d' }}>
            Open in the audit log
          </Link>
        }
      >
        <CardBody>
          {bars === undefined ? (
            error === null ? (
              <Loading what="the chart" />
            ) : (
              <Failure error={error} retry={() => void Promise.all([outcomes.refetch(), sights.refetch()])} />
            )
          ) : (
            <DayChart bars={bars} />
          )}
        </CardBody>
      </Card>
      <div className="columns main-left">
        <RecentReveals />
        <div className="stack">
          <Card title="Tokens by type">
            <QueryView query={usage} what="tokens">
              {({ token_report: report }) => <TokenTypes report={report} />}
            </QueryView>
          </Card>
          <Card title="Most active">
            <MostActive />
          </Card>
          <LogIntegrity />
        </div>
      </div>
    </Page>
  );
}

function DayChart({ bars }: { readonly bars: readonly Bar[] }) {
  return (
    <StackedBars caption="Operations each day, by how much was seen" height={230} series={sightSeries} bars={bars} />
  );
}

function TokenTypes({ report }: { readonly report: Schemas['TokenReport'] }) {
  const shares = Object.entries(report.metrics_by_type)
    .map(([type, { count }]) => ({
      key: type,
      value: count,
      icon: <Icon of={kindOf(type).icon} />,
      label: kindOf(type).name,
      line: (content: ReactNode) => (
        <Link to="/tokens" search={{ type }}>
          {content}
        </Link>
      ),
    }))
    .toSorted((a, b) => b.value - a.value);
  return <BarList caption="Tokens by type" shares={shares} />;
}

/** The maximum number of lines in a list on the page. */
const linesMax = 6;

/** Shows who has the most records, each with a link to them. */
function MostActive() {
  const names = useNames();
  return (
    <QueryView query={useQuery(facetsQuery)} what="who is active">
      {(facets) => (
        <BarList
          caption="Most active"
          shares={valuesOf(facets, 'actor_id')
            .slice(0, linesMax)
            .map(({ value, records }) => ({
              key: value,
              value: records,
              label: names.get(value)?.name ?? value,
              line: (content: ReactNode) => (
                <Link to="/audit" search={{ range: '30d', actor_id: value }}>
                  {content}
                </Link>
              ),
            }))}
        />
      )}
    </QueryView>
  );
}
