import type { GrantLimit } from '../../core/access/grant-limit.ts';
import type { ApplicationType } from '../../core/access/permission.ts';
import type { ApplicationId, TenantId } from '../../core/identity/ids.ts';
import type { PageRequest } from '../../http/parameters/pagination.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { KeyEnvironment } from '../../platform/keyring/sign-in/api-key.ts';
import type { Authority } from '../members/index.ts';
import type { Application, ApplicationSettings } from './application.ts';
import type { ApplicationFilter } from './application-filter.ts';

const columns = `tenant_id as "tenantId", id, name, type, permissions, rules, expires_at as "expiresAt",
  allowed_destinations as "allowedDestinations", allowed_origins as "allowedOrigins", grant_limit as "grantLimit",
  awaits_approval as "awaitsApproval", created_by as "createdBy", created_at as "createdAt", modified_by as "modifiedBy", modified_at as "modifiedAt"`;

/** Settings with the limit resolved. */
export type StoredSettings = Omit<ApplicationSettings, 'grantLimit'> & Pick<Application, 'grantLimit'>;

interface UsablePage {
  readonly type: ApplicationType | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export class ApplicationStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert(
    application: StoredSettings & {
      id: ApplicationId;
      type: ApplicationType;
      createdBy: string | null;
      authority: Authority;
      awaitsApproval?: boolean;
    },
  ): Promise<Application> {
    const { id, name, type, permissions, rules, expiresAt, allowedDestinations, allowedOrigins, createdBy } =
      application;
    const [row] = await this.#tx.query<Application>({
      text: `insert into applications (tenant_id, id, name, type, permissions, rules, expires_at, allowed_destinations, created_by,
          grant_limit, allowed_origins, granted_as, granted_by, awaits_approval)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning ${columns}`,
      values: [
        this.#tenantId,
        id,
        name,
        type,
        permissions,
        JSON.stringify(rules),
        expiresAt,
        allowedDestinations,
        createdBy,
        toJson(application.grantLimit),
        allowedOrigins,
        application.authority.as,
        application.authority.by,
        application.awaitsApproval ?? false,
      ],
    });
    if (row === undefined) throw new Error('An insert returned no row.');
    return row;
  }

  /** Returns the environment of the tenant, which is part of the text of every key. */
  async keyEnvironment(): Promise<KeyEnvironment> {
    const [row] = await this.#tx.query<{ type: string }>({
      text: 'select type from tenants where id = $1',
      values: [this.#tenantId],
    });
    return row?.type === 'production' ? 'prod' : 'test';
  }

  async find(id: ApplicationId): Promise<Application | undefined> {
    const [row] = await this.#tx.query<Application>({
      text: `select ${columns} from applications where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Works like `find`, but ignores an expired application. */
  async findUsable(id: ApplicationId): Promise<Application | undefined> {
    const [row] = await this.#tx.query<Application>({
      text: `select ${columns} from applications where tenant_id = $1 and id = $2 and (expires_at is null or expires_at > now())`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Works like `find`, and locks the row until this transaction ends. */
  async lock(id: ApplicationId): Promise<Application | undefined> {
    const [row] = await this.#tx.query<Application>({
      text: `select ${columns} from applications where tenant_id = $1 and id = $2 for no key update`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Lists applications, newest first. A tenant has hundreds of them at most, so counting them is cheap. */
  async list(
    { ids, types }: ApplicationFilter,
    { page, size }: PageRequest,
  ): Promise<{ totalItems: number; items: Application[] }> {
    const chosen = 'tenant_id = $1 and ($2::uuid[] is null or id = any($2)) and ($3::text[] is null or type = any($3))';
    const filter = [this.#tenantId, ids ?? null, types ?? null];
    const items = await this.#tx.query<Application>({
      text: `select ${columns} from applications where ${chosen} order by created_at desc, id desc limit $4 offset $5`,
      values: [...filter, size, (page - 1) * size],
    });
    const [count] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from applications where ${chosen}`,
      values: filter,
    });
    return { totalItems: count?.total ?? 0, items };
  }

  /** Lists applications that have not expired, ordered by id and starting after the given one. */
  listUsable({ type, after, limit }: UsablePage): Promise<Application[]> {
    return this.#tx.query({
      text: `select ${columns} from applications
        where tenant_id = $1 and ($2::text is null or type = $2) and (expires_at is null or expires_at > now())
          and ($3::uuid is null or id > $3)
        order by id limit $4`,
      values: [this.#tenantId, type ?? null, after ?? null, limit],
    });
  }

  /** Updates an application. It then has the given rights, so it no longer waits for approval. */
  async update(
    id: ApplicationId,
    settings: StoredSettings & { modifiedBy: string; authority: Authority },
  ): Promise<Application | undefined> {
    const { name, permissions, rules, expiresAt, allowedDestinations, allowedOrigins, modifiedBy } = settings;
    const [row] = await this.#tx.query<Application>({
      text: `update applications set name = $3, permissions = $4, rules = $5, expires_at = $6, allowed_destinations = $7,
          modified_by = $8, modified_at = now(), grant_limit = $9, allowed_origins = $10,
          granted_as = $11, granted_by = $12, awaits_approval = false
        where tenant_id = $1 and id = $2 returning ${columns}`,
      values: [
        this.#tenantId,
        id,
        name,
        permissions,
        JSON.stringify(rules),
        expiresAt,
        allowedDestinations,
        modifiedBy,
        toJson(settings.grantLimit),
        allowedOrigins,
        settings.authority.as,
        settings.authority.by,
      ],
    });
    return row;
  }

  /** Deletes an application and its keys. */
  async delete(id: ApplicationId): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'delete from applications where tenant_id = $1 and id = $2 returning id',
      values: [this.#tenantId, id],
    });
    return rows.length > 0;
  }
}

function toJson(limit: GrantLimit | null): string | null {
  return limit === null ? null : JSON.stringify(limit);
}
