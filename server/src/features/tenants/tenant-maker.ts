import { toId } from '../../core/identity/ids.ts';
import type { AccessRule } from '../../core/access/access-rule.ts';
import type { ApplicationType, Permission } from '../../core/access/permission.ts';
import type { ApplicationId, TenantId } from '../../core/identity/ids.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toRightsDetails } from '../../platform/audit/record/change-details.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { ApplicationStore, type ApiKeyMaker } from '../applications/index.ts';
import { MemberStore, operatorAuthority } from '../members/index.ts';
import type { TenantType } from './tenant.ts';
import { TenantStore } from './tenant-store.ts';

const operator = { createdBy: null, authority: operatorAuthority };

export interface FirstApplication {
  readonly name: string;
  readonly type: ApplicationType;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
}

export interface MadeTenant {
  readonly tenantId: TenantId;
  /** The text of each application's key, in the order of the applications. */
  readonly keys: readonly string[];
}

interface TenantMakerParts {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly apiKeyMaker: ApiKeyMaker;
}

/** Creates a tenant with its keys, its owner and its first applications in one transaction. */
export class TenantMaker {
  readonly #parts: TenantMakerParts;

  constructor(parts: TenantMakerParts) {
    this.#parts = parts;
  }

  async make(tenant: {
    readonly name: string;
    readonly type: TenantType;
    readonly ownerEmail: string | null;
    readonly applications: readonly FirstApplication[];
    /** The name of the own root key of the tenant's owner, if it has one. */
    readonly ownRootKey?: string | undefined;
  }): Promise<MadeTenant> {
    const tenantId = toId<TenantId>(crypto.randomUUID());
    const tenantKeys = await this.#parts.keyring.makeTenantKeys(tenantId, tenant.ownRootKey);
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new TenantStore(tx, tenantId);
      await store.insert(tenant);
      await tenantKeys.store(tx);
      const members = new MemberStore(tx, tenantId);
      // An existing owner or member of another tenant is the same user here.
      const owner = await members.joinUser(tenant.ownerEmail);
      await members.insert({ userId: owner.id, role: 'OWNER', createdBy: null });
      await recordInTransaction(tx, tenantId, 'system', successEvent('tenant', tenantId, 'create'));

      const keys: string[] = [];
      for (const wanted of tenant.applications) {
        const id = toId<ApplicationId>(crypto.randomUUID());
        const application = await new ApplicationStore(tx, tenantId).insert({
          ...wanted,
          id,
          expiresAt: null,
          allowedDestinations: null,
          allowedOrigins: null,
          grantLimit: null,
          ...operator,
        });
        keys.push((await this.#parts.apiKeyMaker.make(tx, application, operator)).text);
        await recordInTransaction(tx, tenantId, 'system', {
          ...successEvent('application', id, 'create'),
          details: toRightsDetails(undefined, application),
        });
      }
      return { tenantId, keys };
    });
  }
}
