import { OwnRootKeys, type OwnRootKeysConfig } from './own-root-keys.ts';
import type { RootKey, RootKeyConfig } from './root-key.ts';
import { RootKeys } from './root-keys.ts';

export type { RootKeyConfig };

/** The root key that wraps, those that it replaces, and those of tenants that have their own. */
export interface RootKeysConfig {
  readonly primary: RootKeyConfig;
  readonly others: readonly RootKeyConfig[];
  readonly own?: OwnRootKeysConfig;
}

/** Opens all root keys of the vault or none. Those of tenants are opened when they are needed. */
export async function openRootKeys({ primary, others, own }: RootKeysConfig): Promise<RootKeys> {
  const opened: RootKey[] = [];
  try {
    for (const config of [primary, ...others]) opened.push(await config.open());
  } catch (error) {
    await Promise.all(opened.map((key) => key.close()));
    throw error;
  }
  const [first, ...rest] = opened;
  if (first === undefined) throw new Error('A vault needs a root key.');
  return new RootKeys(first, rest, new OwnRootKeys(own));
}
