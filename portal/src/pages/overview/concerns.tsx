import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { sealQuery } from '../../api/seal';
import { countOf } from '../../parts/number';
import { listKeys } from './application-keys';
import { oldAndNewQuery, daysShown, facetsQuery, valuesOf } from './overview-queries';

const day = 86_400_000;
const keyAgeMax = 365 * day;
const expirySoon = 14 * day;
/** The age in milliseconds at which an unsealed record is a problem. Records are normally sealed within seconds. */
const waitMax = 5 * 60_000;

/** Shows problems that need attention, or nothing if there are none. */
export function Concerns() {
  const seal = useQuery(sealQuery).data;
  const facets = useQuery(facetsQuery).data;
  const applications = useQuery(oldAndNewQuery).data;
  const found = [
    ...(seal === undefined ? [] : findSealConcerns(seal)),
    ...(facets === undefined ? [] : findAlerts(valuesOf(facets, 'operation'))),
    ...(applications === undefined ? [] : findKeyConcerns(applications)),
  ];
  if (found.length === 0) return null;
  return (
    <section className="concerns" aria-label="Needs a hand">
      <h2>Needs a hand</h2>
      <ul>
        {found.map(({ key, text }) => (
          <li key={key}>{text}</li>
        ))}
      </ul>
    </section>
  );
}

interface Concern {
  readonly key: string;
  readonly text: ReactNode;
}

function findSealConcerns({ stop, waiting, worker }: Schemas['LogSeal']): Concern[] {
  if (stop !== undefined) return [{ key: 'stop', text: `Sealing of the log has stopped. ${stop.reason}` }];
  const isLate = waiting.oldest_at !== undefined && Date.now() - Date.parse(waiting.oldest_at) > waitMax;
  if (worker.is_running && !isLate) return [];
  return [
    {
      key: 'worker',
      text: (
        <>
          {waiting.records > 0 ? `${countOf(waiting.records, 'record')} of the log wait to be sealed. ` : ''}
          No worker seals the log. Start one with <code>strongroom work</code>.
        </>
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
      text: (
        <>
          <Link to="/audit" search={{ range: '30d', operation: 'alert' }}>
            {countOf(alerts, 'alert')}
          </Link>{' '}
          in the last {daysShown} days.
        </>
      ),
    },
  ];
}

function findKeyConcerns(applications: readonly Schemas['Application'][]): Concern[] {
  const old = listKeys(applications).filter(({ key }) => Date.now() - Date.parse(key.created_at) > keyAgeMax);
  const expiring = applications.filter(({ expires_at: at }) => {
    const left = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at) - Date.now();
    return left > 0 && left < expirySoon;
  });
  return [
    ...(old.length === 0
      ? []
      : [{ key: 'old', text: <>{countOf(old.length, 'key')} older than a year. Rotate them under Applications.</> }]),
    ...expiring.map(({ id, name }) => ({
      key: id,
      text: (
        <>
          <Link to="/applications/$applicationId" params={{ applicationId: id }}>
            {name}
          </Link>{' '}
          expires within two weeks.
        </>
      ),
    })),
  ];
}
