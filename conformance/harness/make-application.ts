import { ApiCaller } from './api-caller.ts';
import type { VaultAddress } from './vault-address.ts';

export interface MadeApplication {
  readonly id: string;
  readonly key: string;
  readonly caller: ApiCaller;
}

/** Creates an application with exactly these rights. */
export async function makeApplication(
  vault: Pick<VaultAddress, 'url' | 'keys'>,
  application: Readonly<Record<string, unknown>>,
): Promise<MadeApplication> {
  const manager = new ApiCaller(vault, vault.keys.management);
  const answer = await manager.post('/applications', { name: 'Conformance', type: 'private', ...application });
  if (answer.status !== 201) throw new Error(`No application was made: ${answer.text}`);
  const { id, key } = answer.body as { id: string; key: string };
  return { id, key, caller: new ApiCaller(vault, key) };
}
