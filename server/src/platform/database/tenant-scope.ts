/**
 * Opens the scope of a single-statement transaction: parameter 1 becomes the tenant that row-level security checks
 * against, and the statement takes the tenant from `scope` and from nowhere else.
 *
 * The order is forced by data, not by luck: a row's tenant is only known once `set_config` has run, and reads go
 * through `lateral (… offset 0)`, which PostgreSQL can neither pull up nor run before `scope`. Were it ever run too
 * early, the policy would compare with no tenant and show nothing.
 */
export const tenantScope = `scope as materialized (select set_config('app.tenant_id', $1, true)::uuid as tenant_id)`;
