import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Route as RouteIcon } from 'lucide-react';
import { applicationsQuery } from '../../api/applications';
import { useMember } from '../../api/me';
import { routesQuery } from '../../api/routes';
import { buttonClass } from '../../parts/controls/button';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty, NotForRole } from '../../parts/page/states';
import { RouteCard } from './route-card';

/** Lists the stored proxies of the tenant, with what each may do. */
export function RoutesPage() {
  const member = useMember();
  const mayCreate = member.may('proxy:create');
  const mayRead = member.may('proxy:read');
  const routes = useQuery({ ...routesQuery, queryKey: ['routes', member.tenant.id], enabled: mayRead });
  const applications = useQuery({ ...applicationsQuery, enabled: mayRead });
  const add = mayCreate ? (
    <Link to="/routes/new" className={buttonClass({ kind: 'main' })}>
      New route
    </Link>
  ) : null;
  return (
    <Page
      title="Routes"
      lead="Stored proxies: ways in and out of the vault, each to one destination."
      docs="guides/stored-proxies"
      actions={add}
      hasTimes
    >
      {mayRead ? (
        <QueryView query={routes} what="routes">
          {(found) =>
            found.length === 0 ? (
              <div className="card">
                <Empty icon={RouteIcon} title="There are no routes yet" actions={add}>
                  <p>
                    With a route, a partner without an API key posts cards and your system receives tokens, or your
                    system calls a provider whose key stays in the vault.
                  </p>
                </Empty>
              </div>
            ) : (
              found.map((route) => (
                <RouteCard
                  key={route.id}
                  route={route}
                  rights={applications.data?.find(({ id }) => id === route.application_id)?.name}
                />
              ))
            )
          }
        </QueryView>
      ) : (
        <NotForRole what="routes" roles="owners, admins and read-only members" />
      )}
    </Page>
  );
}
