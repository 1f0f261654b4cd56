import type { Cluster } from '../stage/cluster.ts';
import { until } from '../stage/until.ts';
import { createWebhooks } from './webhooks.ts';

/** The tenant that clients use, and its keys. */
export interface Tenant {
  readonly id: string;
  readonly management: string;
  /** The key of an application that has all permissions on tokens and sees plaintext. */
  readonly private: string;
  readonly public: string;
  /** The application whose keys are created and revoked. */
  readonly applicationId: string;
  /** False in a version without webhooks, and in rounds without them. */
  readonly hasWebhooks: boolean;
}

/** Creates the schema and a tenant, starts servers and workers, and waits until they are ready. */
export async function openVault(cluster: Cluster, hasWebhooks: boolean): Promise<Tenant> {
  const [first] = cluster.applications;
  if (first === undefined) throw new Error('There is no machine to run commands on.');
  // Until its first check, HAProxy treats every machine as the primary.
  await until('the schema', 60, () =>
    first.run(['migrate']).then(
      () => true,
      () => false,
    ),
  );
  const { tenant_id: id, keys } = JSON.parse(await first.run(['bootstrap', '--name', 'Faults', '--json'])) as {
    tenant_id: string;
    keys: { management: string };
  };
  await Promise.all(cluster.applications.map((node) => node.start()));
  await until('servers and workers', 120, () => cluster.isHealthy());
  const create = async (body: unknown) => {
    const response = await fetch(`${cluster.url}/applications`, {
      method: 'POST',
      headers: { 'bt-api-key': keys.management, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`An application was not created: ${await response.text()}`);
    return (await response.json()) as { id: string; key: string };
  };
  const rule = {
    description: 'Everything',
    priority: 1,
    container: '/',
    transform: 'reveal',
    permissions: ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search', 'token:use'],
  };
  const owner = await create({ name: 'Clients', type: 'private', rules: [rule] });
  const changing = await create({ name: 'Changing keys', type: 'private', rules: [rule] });
  const open = await create({ name: 'Pages', type: 'public', permissions: ['token:create'] });
  return {
    id,
    management: keys.management,
    private: owner.key,
    public: open.key,
    applicationId: changing.id,
    hasWebhooks: hasWebhooks && (await createWebhooks(cluster, keys.management)),
  };
}
