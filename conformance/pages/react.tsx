// A page with the published React components. The suite bundles it once per version, with a React version from the same
// time.
import * as published from '@basis-theory/react-elements';
import * as react from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

type Options = NonNullable<Parameters<typeof published.useBasisTheory>[1]>;
type Render = (h: typeof react.createElement) => react.ReactNode;

const root = document.createElement('main');
document.body.append(root);
const shop = createRoot(root);
/** The values that the suite checks: the instance that the hook returned, and the error thrown while rendering. */
const seen: { bt?: unknown; fromProvider?: unknown; error?: unknown } = {};
const noOptions: Options = {};

function Shop({ apiKey, options, render }: { apiKey?: string; options?: Options; render: Render }) {
  const { bt, error } = published.useBasisTheory(apiKey, options ?? noOptions);
  Object.assign(seen, { bt, error });
  return (
    <published.BasisTheoryProvider {...(bt === undefined ? {} : { bt })}>
      <Inside render={render} />
    </published.BasisTheoryProvider>
  );
}

function Inside({ render }: { render: Render }) {
  const { bt } = published.useBasisTheory();
  Object.assign(seen, { fromProvider: bt });
  return <>{render(react.createElement)}</>;
}

let opened: { apiKey: string; options: Options } | undefined;

function show(render: Render): void {
  flushSync(() => shop.render(<Shop {...(opened ?? {})} render={render} />));
}

function openShop(apiKey: string, options: Options): void {
  opened = { apiKey, options };
  show(() => null);
}

Object.assign(globalThis, { published, react, seen, openShop, show });
