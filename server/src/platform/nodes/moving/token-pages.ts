import type { TenantId } from '../../../core/identity/ids.ts';
import type { OwnerLink } from '../../database/owner-link.ts';
import { asMover, listIds } from './token-copy-store.ts';

const idsPerPage = 2_000;

/** All ids of a tenant's tokens in a database, in their order, whether their drawers are held there or not. */
export async function eachPageOfIds(
  link: OwnerLink,
  tenantId: TenantId,
  work: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = { after, limit: idsPerPage };
    const ids: string[] = await asMover(link, tenantId, (tx) => listIds(tx, tenantId, page));
    if (ids.length > 0) await work(ids);
    after = ids.at(-1);
  }
}
