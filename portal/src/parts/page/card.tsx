import type { ReactNode } from 'react';

/**
 * Groups what belongs together under a title. Tables and rows reach its edges; everything else goes into a `CardBody`.
 */
export function Card(card: {
  readonly title?: ReactNode;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const { title, note, actions, className, children } = card;
  return (
    <section className={className === undefined ? 'card' : `card ${className}`}>
      {title === undefined ? null : (
        <header className="card-head">
          <h2>{title}</h2>
          {note === undefined ? null : <p className="note">{note}</p>}
          {actions === undefined ? null : <div className="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export function CardBody({ children }: { readonly children: ReactNode }) {
  return <div className="card-body">{children}</div>;
}
