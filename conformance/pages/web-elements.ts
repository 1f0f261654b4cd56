// A page with the published package; the suite bundles it once for each version of it.
import * as published from '@basis-theory/web-elements';
import { Fields } from './fields.ts';

async function openShop(key: string, options: published.BasisTheoryInitOptions): Promise<void> {
  const bt = await published.basistheory(key, options);
  if (bt === undefined) throw new Error('The package has opened no instance.');
  // The published types know each element by its own name, and this page any of them.
  Object.assign(globalThis, { bt, fields: new Fields(bt as never) });
}

Object.assign(globalThis, { published, openShop });
