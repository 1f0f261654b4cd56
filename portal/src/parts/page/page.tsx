import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Icon } from '../icon';
import { ZoneNote } from '../show/time';
import { DocsLink, type DocsPage } from './docs-link';

/** Shows a page with its title, a sentence about it, its actions, and at the end where to read more. */
export function Page(page: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Links to the pages above this one, outermost first. */
  readonly crumbs?: readonly ReactNode[];
  /** The matching page of the documentation. */
  readonly docs?: DocsPage;
  /** True if the page shows times, whose zone is then named once. */
  readonly hasTimes?: boolean;
  readonly children: ReactNode;
}) {
  const { title, lead, actions, crumbs = [], docs, hasTimes = false, children } = page;
  useEffect(() => {
    document.title = `${title} - Strongroom`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          {crumbs.length === 0 ? null : <Crumbs crumbs={crumbs} />}
          <h1>{title}</h1>
          {lead === undefined ? null : <div className="lead">{lead}</div>}
        </div>
        {actions === undefined ? null : <div className="actions">{actions}</div>}
      </header>
      {children}
      {hasTimes || docs !== undefined ? (
        <footer className="page-foot">
          {hasTimes ? <ZoneNote /> : <span />}
          {docs === undefined ? null : <DocsLink to={docs} />}
        </footer>
      ) : null}
    </div>
  );
}

function Crumbs({ crumbs }: { readonly crumbs: readonly ReactNode[] }) {
  return (
    <nav aria-label="You are in">
      <ol className="crumbs">
        {crumbs.map((crumb, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- The list never changes while a page is shown.
          <li key={index}>
            {crumb}
            <Icon of={ChevronRight} isSmall />
          </li>
        ))}
      </ol>
    </nav>
  );
}
