import type { WrapContext } from '../../src/platform/keyring/kms/root-key.ts';

/** What a key is wrapped for in tests of root keys. */
export const context: WrapContext = { tenant: 'c0ffee00-0000-4000-8000-000000000001', purpose: 'data', version: 1 };

/** What it must not open for, by what is another. */
export const otherContexts: readonly [string, WrapContext][] = [
  ['tenant', { ...context, tenant: 'c0ffee00-0000-4000-8000-000000000002' }],
  ['purpose', { ...context, purpose: 'index' }],
  ['version', { ...context, version: 2 }],
  ['tenant and purpose that run into each other', { ...context, tenant: `${context.tenant}d`, purpose: 'ata' }],
];
