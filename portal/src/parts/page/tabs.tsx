import type { ReactNode } from 'react';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly count?: number;
}

/**
 * Shows the parts of a page. Each is a link, so that it has an address; `link` renders it with the attributes that mark
 * the current one.
 */
export function Tabs<Name extends string>(tabs: {
  readonly label: string;
  readonly of: readonly Tab<Name>[];
  readonly current: Name;
  readonly link: (name: Name, attributes: { readonly 'aria-current'?: 'page' }, children: ReactNode) => ReactNode;
}) {
  return (
    <nav aria-label={tabs.label}>
      <ul className="tabs">
        {tabs.of.map(({ name, label, count }) => (
          <li key={name}>
            {tabs.link(
              name,
              name === tabs.current ? { 'aria-current': 'page' } : {},
              <>
                {label}
                {count === undefined ? null : <span className="muted">{count}</span>}
              </>,
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}
