import type { ReactNode } from 'react';

/** A line of a list of facts. What is not there is said to be none. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const isNone = children === null || (Array.isArray(children) && children.length === 0);
  return (
    <>
      <dt>{name}</dt>
      <dd>{isNone ? <span className="note">none</span> : children}</dd>
    </>
  );
}
