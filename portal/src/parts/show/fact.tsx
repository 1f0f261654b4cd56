import type { ReactNode } from 'react';

/** Shows a list of facts, each a name and a value. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

/** Shows a line in a list of facts. A missing value is shown as "none". */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const isNone = children === null || (Array.isArray(children) && children.length === 0);
  return (
    <>
      <dt>{name}</dt>
      <dd>{isNone ? <span className="muted">none</span> : children}</dd>
    </>
  );
}
