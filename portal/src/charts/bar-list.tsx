import type { ReactNode } from 'react';
import { formatNumber } from '../parts/number';

export interface Share {
  readonly key: string;
  readonly label: ReactNode;
  readonly value: number;
}

/** Shows a table with a bar behind each value, largest first. */
export function BarList({ shares, caption }: { readonly shares: readonly Share[]; readonly caption: string }) {
  const most = Math.max(1, ...shares.map(({ value }) => value));
  return (
    <ul className="bar-list" aria-label={caption}>
      {shares.map(({ key, label, value }) => (
        <li key={key}>
          <span className="bar-list-label">{label}</span>
          <span className="bar-list-value">{formatNumber(value)}</span>
          <svg className="bar-list-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect width={(value / most) * 100} height="1" className="fill-accent" />
          </svg>
        </li>
      ))}
    </ul>
  );
}
