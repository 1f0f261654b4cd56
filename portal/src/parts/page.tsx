import { type ReactNode, useEffect } from 'react';

/** Shows a page with its title, a sentence about it, and its actions. */
export function Page(page: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${page.title} - Strongroom`;
  }, [page.title]);
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{page.title}</h1>
          {page.lead === undefined ? null : <p className="lead">{page.lead}</p>}
        </div>
        {page.actions === undefined ? null : <div className="actions">{page.actions}</div>}
      </header>
      {page.children}
    </>
  );
}

export function Section(section: {
  readonly title: string;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="section">
      <header className="section-head">
        <h2>{section.title}</h2>
        {section.note === undefined ? null : <p className="note">{section.note}</p>}
        {section.actions === undefined ? null : <div className="actions">{section.actions}</div>}
      </header>
      {section.children}
    </section>
  );
}
