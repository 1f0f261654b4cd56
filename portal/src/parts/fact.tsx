import type { ReactNode } from 'react';

/** Shows a line in a list of facts. A missing value is shown as "none". */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const isNone = children === null || (Array.isArray(children) && children.length === 0);
  return (
    <>
      <dt>{name}</dt>
      <dd>{isNone ? <span className="note">none</span> : children}</dd>
    </>
  );
}
