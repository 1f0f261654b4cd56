import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usageQuery } from '../../api/usage';
import { lineOf, sumOf } from '../../charts/sight-bars';
import { Spark } from '../../charts/spark';
import type { Bar, Series } from '../../charts/stacked-bars';
import { formatNumber } from '../../parts/show/number';
import { SightMark, type SightKind } from '../../parts/show/sight';
import { daysShown } from './overview-queries';

const lately = `in ${daysShown} days`;

/** Shows the numbers that users look for first. Each leads to what it counts. */
export function Stats({ bars }: { readonly bars: readonly Bar[] | undefined }) {
  const usage = useQuery(usageQuery).data;
  const operations = bars?.map(({ values }) => Object.values(values).reduce((sum, value) => sum + value, 0));
  return (
    <ul className="card stats">
      <li>
        <Link to="/tokens" className="stat">
          <Number label="Tokens stored" value={usage?.total_tokens} note="now" />
        </Link>
      </li>
      <li>
        <Link to="/audit" search={{ range: '30d' }} className="stat">
          <Number
            label="Operations"
            value={operations?.reduce((sum, value) => sum + value, 0)}
            line={operations}
            tone="masked"
            note={lately}
          />
        </Link>
      </li>
      <li>
        <Link to="/audit" search={{ range: '30d', transform: 'reveal' }} className="stat">
          <Sum label="Plaintext views" mark="plaintext" bars={bars} name="plaintext" note={lately} />
        </Link>
      </li>
      <li>
        <Link to="/audit" search={{ range: '30d', outcome: 'denied' }} className="stat">
          <Sum label="Denied or not found" mark="denied" bars={bars} name="denied" note={lately} />
        </Link>
      </li>
    </ul>
  );
}

function Sum(sum: {
  readonly label: string;
  readonly mark: SightKind;
  readonly bars: readonly Bar[] | undefined;
  readonly name: string;
  readonly note: string;
}) {
  const { label, mark, bars, name, note } = sum;
  return (
    <Number
      label={
        <span className={`sight sight-${mark}`}>
          <SightMark of={mark} />
          <span className="muted">{label}</span>
        </span>
      }
      value={bars === undefined ? undefined : sumOf(bars, name)}
      line={bars === undefined ? undefined : lineOf(bars, name)}
      tone={mark}
      note={note}
    />
  );
}

function Number(number: {
  readonly label: ReactNode;
  readonly value: number | undefined;
  readonly line?: readonly number[] | undefined;
  readonly tone?: Series['tone'];
  readonly note: string;
}) {
  const { label, value, line, tone = 'none', note } = number;
  return (
    <>
      <span className="stat-name">{label}</span>
      <span className="stat-line">
        <span className="stat-value">{value === undefined ? '…' : formatNumber(value)}</span>
        {line === undefined ? null : <Spark values={line} tone={tone} />}
      </span>
      <span className="stat-note">{note}</span>
    </>
  );
}
