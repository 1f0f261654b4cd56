import type { WrapContext } from '../../../src/platform/keyring/kms/root-key.ts';

/** The context in which tests of root keys wrap a key. */
export const context: WrapContext = { tenant: 'c0ffee00-0000-4000-8000-000000000001', purpose: 'data', version: 1 };

/** Contexts in which the key must not unwrap, named after the part that differs. */
export const otherContexts: readonly [string, WrapContext][] = [
  ['tenant', { ...context, tenant: 'c0ffee00-0000-4000-8000-000000000002' }],
  ['purpose', { ...context, purpose: 'index' }],
  ['version', { ...context, version: 2 }],
  ['tenant and purpose that run into each other', { ...context, tenant: `${context.tenant}d`, purpose: 'ata' }],
];
