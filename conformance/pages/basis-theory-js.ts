// A page with the older client, which loads elements on request.
import * as published from '@basis-theory/basis-theory-js';
import { Fields } from './fields.ts';

async function openShop(key: string, options: object): Promise<void> {
  const bt = await new published.BasisTheory().init(key, { ...options, elements: true });
  Object.assign(globalThis, { bt, fields: new Fields(bt as never) });
}

Object.assign(globalThis, { published, openShop });
