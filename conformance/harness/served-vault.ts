import { Program } from '../../server/test/harness/program.ts';
import type { VaultAddress } from './vault-address.ts';

/** The origin of the fields in a real shop. The published packages accept only a host name. */
const shopElementsUrl = 'https://elements.shop.example';

/** Starts a vault as in production: `migrate`, `bootstrap`, then `serve` and `work` in separate processes. */
export async function startServedVault(
  given: VaultAddress['settings'],
  tenant: { readonly name: string; readonly type: 'test' | 'production' },
): Promise<VaultAddress> {
  const settings = {
    STRONGROOM_PUBLIC_URL: 'https://vault.example',
    STRONGROOM_ELEMENTS_URL: shopElementsUrl,
    STRONGROOM_PORT: '0',
    ...given,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_WORKER_ADMIN_PORT: '0',
    STRONGROOM_LOG_LEVEL: 'silent',
  };
  await run(['migrate'], settings);
  const bootstrapped = await run(['bootstrap', '--name', tenant.name, '--type', tenant.type, '--json'], settings);
  const { tenant_id: tenantId, keys } = JSON.parse(bootstrapped) as { tenant_id: string; keys: { management: string } };
  const [served] = await Promise.all([
    Program.start(['serve', '--json'], settings).ready<{ url: string }>(),
    Program.start(['work', '--json'], settings).ready(),
  ]);
  // The client for browsers accepts http only for this host name.
  const url = `http://localhost:${new URL(served.url).port}`;

  const make = (application: object) => makeApplication(url, keys.management, application);
  const permissions = ['create', 'read', 'update', 'delete', 'search', 'use'].map((action) => `token:${action}`);
  const rule = { description: 'See everything', priority: 1, container: '/', transform: 'reveal', permissions };
  return {
    url,
    elementsUrl: settings.STRONGROOM_ELEMENTS_URL,
    tenantId,
    keys: {
      private: await make({ type: 'private', permissions }),
      reveal: await make({ type: 'private', rules: [rule] }),
      public: await make({ type: 'public', permissions: ['token:create'] }),
      management: keys.management,
    },
    settings,
  };
}

async function run(command: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await Program.run(command, settings);
  if (code !== 0) throw new Error(`strongroom ${command.join(' ')} failed: ${stderr}`);
  return stdout;
}

async function makeApplication(url: string, managementKey: string, application: object): Promise<string> {
  const answer = await fetch(`${url}/applications`, {
    method: 'POST',
    headers: { 'bt-api-key': managementKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Conformance', ...application }),
  });
  if (answer.status !== 201) throw new Error(`No application was made: ${await answer.text()}`);
  return ((await answer.json()) as { key: string }).key;
}
