import type { ReactNode } from 'react';
import { formatNumber } from '../parts/show/number';

export interface Share {
  readonly key: string;
  readonly value: number;
  /** Renders the line, which is usually a link, around the given content. */
  readonly line: (content: ReactNode) => ReactNode;
  readonly icon?: ReactNode;
  readonly label: ReactNode;
}

/** Shows values with a bar under each, largest first. */
export function BarList({ shares, caption }: { readonly shares: readonly Share[]; readonly caption: string }) {
  const most = Math.max(1, ...shares.map(({ value }) => value));
  return (
    <ul className="bar-list" aria-label={caption}>
      {shares.map(({ key, label, icon, value, line }) => (
        <li key={key}>
          {line(
            <>
              {icon}
              <span className="bar-list-label">{label}</span>
              <span className="bar-list-value">{formatNumber(value)}</span>
              <svg className="bar-list-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(value / most) * 100} height="1" className="fill-masked" />
              </svg>
            </>,
          )}
        </li>
      ))}
    </ul>
  );
}
