import { Program } from '../../server/test/harness/program.ts';
import type { VaultAddress } from './vault-address.ts';

export interface NewTenant {
  readonly id: string;
  readonly managementKey: string;
}

/**
 * Creates another tenant as an operator would, for tests that change or delete a whole tenant or count what it
 * contains.
 */
export async function makeTenant({ settings }: VaultAddress, ownerEmail?: string): Promise<NewTenant> {
  const owner = ownerEmail === undefined ? [] : ['--owner-email', ownerEmail];
  const { code, stdout, stderr } = await Program.run(['bootstrap', '--name', 'Acme', '--json', ...owner], settings);
  if (code !== 0) throw new Error(`No tenant was made: ${stderr}`);
  const { tenant_id: id, keys } = JSON.parse(stdout) as { tenant_id: string; keys: { management: string } };
  return { id, managementKey: keys.management };
}
