import { permissionsOf } from '../../core/access/permission.ts';
import type { FirstApplication } from '../../features/tenants/index.ts';
import type { VaultCore } from '../wiring/vault-core.ts';

export interface DevelopmentKeys {
  readonly private: string;
  readonly reveal: string;
  readonly public: string;
  readonly management: string;
}

/** The public application of the demonstration shop. */
export interface ShopApplication {
  readonly id: string;
  readonly key: string;
  /** The origin of the shop in the last run. */
  readonly origin: string;
}

export interface DevelopmentTenant {
  readonly id: string;
  readonly keys: DevelopmentKeys;
  /** The keys of the applications created by `--seed`, by application name. */
  readonly seeded?: Readonly<Record<string, string>>;
  readonly shop?: ShopApplication;
}

/** Nobody has this address: mail to the domain goes nowhere (RFC 2606). */
const developmentOwner = 'ada.quill@example.com';

/** Creates a tenant with one application for each way to use a vault. */
export async function createDevelopmentTenant(core: VaultCore): Promise<DevelopmentTenant> {
  const tokenPermissions = permissionsOf('private');
  const applications: FirstApplication[] = [
    { name: 'Private', type: 'private', permissions: tokenPermissions, rules: [] },
    {
      name: 'Private, reveals',
      type: 'private',
      permissions: [],
      rules: [
        {
          description: 'See everything',
          priority: 1,
          container: '/',
          transform: 'reveal',
          permissions: tokenPermissions,
        },
      ],
    },
    { name: 'Public', type: 'public', permissions: ['token:create'], rules: [] },
    { name: 'Management', type: 'management', permissions: permissionsOf('management'), rules: [] },
  ];
  const made = await core.tenantMaker.make({
    name: 'Development',
    type: 'test',
    ownerEmail: developmentOwner,
    applications,
  });
  const [privateKey = '', reveal = '', publicKey = '', management = ''] = made.keys;
  return { id: made.tenantId, keys: { private: privateKey, reveal, public: publicKey, management } };
}
