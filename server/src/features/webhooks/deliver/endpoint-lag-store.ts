import type { Database } from '../../../platform/database/database.ts';
import { failuresMax } from './retry-schedule.ts';

/** How many enabled endpoints are in a state, and how far the last of them is behind. */
export interface EndpointLag {
  readonly state: 'healthy' | 'failing';
  readonly endpoints: number;
  /** The age of the oldest sealed record that an endpoint has not yet processed, in seconds. */
  readonly seconds: number;
}

/** Returns the lag of the enabled endpoints of all tenants, by state. Both states are always present. */
export async function listEndpointLag(database: Database): Promise<EndpointLag[]> {
  return database.forSealer((tx) =>
    tx.query<EndpointLag>({
      name: 'webhook-lag',
      text: `with lag as (
          select p.failures >= ${failuresMax} as is_failing, extract(epoch from now() - next.sealed_at) as seconds
          from webhooks w join webhook_positions p on p.tenant_id = w.tenant_id and p.webhook_id = w.id
          left join lateral (
            select c.sealed_at from audit_checkpoints c where c.tenant_id = p.tenant_id and c.tree_size > p.position
            order by c.tree_size limit 1) next on true
          where w.status = 'enabled')
        select state, count(lag.is_failing)::integer as endpoints, greatest(coalesce(max(lag.seconds), 0), 0)::float8 as seconds
        from (values ('healthy', false), ('failing', true)) as known(state, is_failing) left join lag using (is_failing)
        group by state`,
    }),
  );
}
