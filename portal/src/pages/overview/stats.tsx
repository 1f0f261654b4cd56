import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { sealQuery } from '../../api/seal';
import { usageQuery } from '../../api/usage';
import { formatNumber } from '../../parts/number';
import { Time } from '../../parts/time';
import { daysShown, facetsQuery, outcomesQuery, valuesOf } from './overview-queries';

/** Shows the numbers that users look for first. */
export function Stats() {
  const usage = useQuery(usageQuery).data;
  const outcomes = useQuery(outcomesQuery).data;
  const facets = useQuery(facetsQuery).data;
  const seal = useQuery(sealQuery).data;
  const lately = `in ${daysShown} days`;
  return (
    <div className="stats">
      <Stat label="Tokens" value={usage?.total_tokens} note={<Link to="/tokens">All tokens</Link>} />
      <Stat label="Operations" value={outcomes?.total} note={lately} />
      <Stat
        label="Views in plaintext"
        value={facets === undefined ? undefined : countOf(valuesOf(facets, 'transform'), 'reveal')}
        note={
          <Link to="/audit" search={{ range: '30d', transform: 'reveal' }}>
            {lately}
          </Link>
        }
      />
      <Stat
        label="Denied attempts"
        value={outcomes === undefined ? undefined : countOf(outcomes.top, 'denied')}
        note={
          <Link to="/audit" search={{ range: '30d', outcome: 'denied' }}>
            {lately}
          </Link>
        }
      />
      <Stat
        label="Sealed records"
        value={seal?.checkpoint?.tree_size}
        note={seal === undefined ? '' : <Sealing seal={seal} />}
      />
    </div>
  );
}

function countOf(values: readonly Schemas['LogValueCount'][], wanted: string): number {
  return values.find(({ value }) => value === wanted)?.records ?? 0;
}

function Sealing({ seal }: { readonly seal: Schemas['LogSeal'] }) {
  const { checkpoint, waiting } = seal;
  if (waiting.records > 0) return <>{`${formatNumber(waiting.records)} waiting`}</>;
  return checkpoint === undefined ? (
    <>none yet</>
  ) : (
    <>
      last <Time at={checkpoint.sealed_at} form="ago" />
    </>
  );
}

function Stat(stat: { readonly label: string; readonly value: number | undefined; readonly note: ReactNode }) {
  return (
    <div className="stat">
      <p className="stat-label">{stat.label}</p>
      <p className="stat-value">{stat.value === undefined ? '…' : formatNumber(stat.value)}</p>
      <p className="stat-note">{stat.note}</p>
    </div>
  );
}
