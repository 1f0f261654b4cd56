import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bell, CalendarClock, ChevronRight, Gauge, KeyRound, RotateCcw, ShieldAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { sealQuery } from '../../api/seal';
import { Icon, type Shape } from '../../parts/icon';
import { Card } from '../../parts/page/card';
import { Glyph } from '../../parts/show/glyph';
import { countOf } from '../../parts/show/number';
import type { Tone } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { listKeys } from './application-keys';
import { daysShown, facetsQuery, failedJobsQuery, oldAndNewQuery, valuesOf } from './overview-queries';
import { type ReachedLimit, reachedLimitsQuery } from './reached-limits';

const day = 86_400_000;
const keyAgeMax = 365 * day;
const expirySoon = 14 * day;
/** The age in milliseconds at which an unsealed record is a problem. Records are normally sealed within seconds. */
const waitMax = 5 * 60_000;
/** The clients that reached a rate limit and have a row of their own. */
const reachedLimitsShown = 3;
/** Each old key has a row of its own, up to this many. */
const oldKeysShown = 3;

/** Shows problems that need attention, or nothing if there are none. */
export function Concerns() {
  const seal = useQuery(sealQuery).data;
  const facets = useQuery(facetsQuery).data;
  const failed = useQuery(failedJobsQuery).data;
  const reached = useQuery(reachedLimitsQuery).data;
  const applications = useQuery(oldAndNewQuery).data;
  const found = [
    ...(seal === undefined ? [] : findSealConcerns(seal)),
    ...(facets === undefined ? [] : findAlerts(valuesOf(facets, 'operation'))),
    ...(failed === undefined ? [] : findFailedJobs(failed)),
    ...(reached === undefined ? [] : findReachedLimits(reached)),
    ...(applications === undefined ? [] : findKeyConcerns(applications)),
  ];
  if (found.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul className="rows">
        {found.map(({ key, row }) => (
          <li key={key}>{row}</li>
        ))}
      </ul>
    </Card>
  );
}

interface Concern {
  readonly key: string;
  readonly row: ReactNode;
}

function Words({
  icon,
  tone,
  children,
  tail,
}: {
  readonly icon: Shape;
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly tail?: ReactNode;
}) {
  return (
    <>
      <Glyph of={icon} tone={tone} />
      <span className="said">{children}</span>
      {tail === undefined ? null : <span className="tail">{tail}</span>}
    </>
  );
}

function findSealConcerns({ stop, waiting, worker }: Schemas['LogSeal']): Concern[] {
  const isLate = waiting.oldest_at !== undefined && Date.now() - Date.parse(waiting.oldest_at) > waitMax;
  if (stop === undefined && worker.is_running && !isLate) return [];
  const words =
    stop === undefined ? (
      <>
        {waiting.records > 0 ? `${countOf(waiting.records, 'record')} of the log wait to be sealed. ` : ''}
        No worker seals the log. Start one with <code>strongroom work</code>
      </>
    ) : (
      `Sealing of the log has stopped. ${stop.reason}`
    );
  return [
    {
      key: 'seal',
      row: (
        <Link to="/encryption-keys" className="row">
          <Words icon={ShieldAlert} tone="bad">
            {words}
          </Words>
          <Icon of={ChevronRight} />
        </Link>
      ),
    },
  ];
}

function findAlerts(operations: readonly Schemas['LogValueCount'][]): Concern[] {
  const alerts = operations.find(({ value }) => value === 'alert')?.records ?? 0;
  if (alerts === 0) return [];
  return [
    {
      key: 'alerts',
      row: (
        <Link to="/alerts" className="row">
          <Words icon={Bell} tone="bad">
            <b>{countOf(alerts, 'alert')}</b> in the last {daysShown} days
          </Words>
          <Icon of={ChevronRight} />
        </Link>
      ),
    },
  ];
}

const failedTasks: Readonly<Record<string, string>> = {
  'deliver-webhook': 'Delivering events to a webhook',
  'mail-webhook': 'Mail about a disabled webhook',
  'mail-invitation': 'Mailing an invitation',
  'purge-tenant': 'Removing data of the deleted tenant',
};

function findFailedJobs({ failed_jobs: tasks }: Schemas['FailedJobs']): Concern[] {
  return tasks.map(({ task, jobs, last_failed_at: at }) => ({
    key: task,
    row: (
      <Link to="/jobs" className="row">
        <Words icon={RotateCcw} tone="bad">
          {failedTasks[task] ?? task} failed at every attempt{jobs === 1 ? '' : `, ${jobs} times`}, last{' '}
          <Time at={at} form="ago" />. Ask your vault operator to retry:{' '}
          <code>strongroom jobs retry --task {task}</code>
        </Words>
        <Icon of={ChevronRight} />
      </Link>
    ),
  }));
}

function findReachedLimits(reached: readonly ReachedLimit[]): Concern[] {
  return reached.slice(0, reachedLimitsShown).map((one) => ({
    key: `${one.scope} ${one.client}`,
    row: (
      <Link
        to="/audit"
        search={one.client.includes('/') ? { views: 'shown' } : { source_address: one.client, views: 'shown' }}
        className="row"
      >
        <Words icon={Gauge} tone="neutral">
          <b>{one.client}</b> reached the limit <code>{one.scope}</code> of {countOf(one.limit, 'request')} in{' '}
          {countOf(one.seconds, 'second')}: {countOf(one.rejections, 'request was', 'requests were')} rejected, the last{' '}
          <Time at={one.last_at} form="ago" />. {one.advice}
        </Words>
        <Icon of={ChevronRight} />
      </Link>
    ),
  }));
}

function findKeyConcerns(applications: readonly Schemas['Application'][]): Concern[] {
  const old = listKeys(applications).filter(({ key }) => Date.now() - Date.parse(key.created_at) > keyAgeMax);
  const expiring = applications.filter(({ expires_at: at }) => {
    const left = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at) - Date.now();
    return left > 0 && left < expirySoon;
  });
  return [
    ...old.slice(0, oldKeysShown).map(({ application: { id, name }, key }, index) => ({
      key: key.id,
      row: (
        <Link
          to="/applications/$applicationId"
          params={{ applicationId: id }}
          search={{ rotate: key.id }}
          className="row"
        >
          <Words icon={KeyRound} tone="neutral" tail="Rotate in 3 steps">
            A key of <b>{name}</b> was created <Time at={key.created_at} form="ago" />
            {index === oldKeysShown - 1 && old.length > oldKeysShown
              ? `, and ${countOf(old.length - oldKeysShown, 'other key')} over a year ago`
              : ''}
          </Words>
          <Icon of={ChevronRight} />
        </Link>
      ),
    })),
    ...expiring.map(({ id, name, expires_at: at = '' }) => ({
      key: id,
      row: (
        <Link to="/applications/$applicationId" params={{ applicationId: id }} className="row">
          <Words icon={CalendarClock} tone="neutral">
            <b>{name}</b> expires <Time at={at} form="ago" />
          </Words>
          <Icon of={ChevronRight} />
        </Link>
      ),
    })),
  ];
}
