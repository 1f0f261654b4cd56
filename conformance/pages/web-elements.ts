// A page with the published package. The suite bundles it once per version.
import * as published from '@basis-theory/web-elements';
import { Fields } from './fields.ts';

async function openShop(key: string, options: published.BasisTheoryInitOptions): Promise<void> {
  const bt = await published.basistheory(key, options);
  if (bt === undefined) throw new Error('The package has opened no instance.');
  // The published types have a separate signature per element, but this page creates any of them by name.
  Object.assign(globalThis, { bt, fields: new Fields(bt as never) });
}

Object.assign(globalThis, { published, openShop });
