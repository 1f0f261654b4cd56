import { rootContainer } from '../../../core/access/container.ts';
import type { SharedContainers } from '../../../core/access/shared-containers.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

/**
 * The maximum number of containers to list. If there are more, a caller has to assume that tokens may be in any other
 * container too.
 */
const sharedMax = 1_000;

/**
 * Lists the containers of tokens that are in or below the given container and also in another one. It reads the
 * container sets, of which there are far fewer than tokens. A shelf is its type followed by each container after a
 * space.
 */
export async function listSharedContainers(
  tx: Transaction,
  tenantId: TenantId,
  container: string,
): Promise<SharedContainers> {
  // Every container below begins with the path, and `0` is the character after `/`.
  const end = container === rootContainer ? '0' : `${container.slice(0, -1)}0`;
  const rows = await tx.query<{ container: string }>({
    text: `select distinct path collate "C" as container
      from token_sets s cross join unnest((string_to_array(s.shelf, ' '))[2:]) as path
      where s.tenant_id = $1 and s.container >= $2 and s.container < $3 and split_part(s.shelf, ' ', 3) <> ''
      limit ${sharedMax + 1}`,
    values: [tenantId, container, end],
  });
  return rows.length > sharedMax ? undefined : rows.map((row) => row.container).toSorted(byCharacters);
}

function byCharacters(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
