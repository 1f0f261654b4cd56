import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { UserRound } from 'lucide-react';
import { loadMe, MemberProvider, type MyTenant, toMember } from '../../api/me';
import { buttonClass } from '../../parts/controls/button';
import { Toaster } from '../../parts/overlay/toast';
import { Loading } from '../../parts/page/loading';
import { Empty, Failure } from '../../parts/page/states';
import { Palette } from './palette';
import { DeletedTenant } from './deleted-tenant';
import { IdleWatch } from './idle-watch';
import { NetworkWatch } from './network-watch';
import { Shortcuts } from './shortcuts';
import { Side } from './side';
import { WayRequired } from './way-required';

/** Surrounds every page with the signed-in user and the navigation. */
export function Frame() {
  const me = useQuery({ queryKey: ['me'], queryFn: loadMe, staleTime: 60_000 });
  if (me.data === undefined) {
    return (
      <main className="content">
        {me.error === null ? (
          <Loading what="the portal" />
        ) : (
          <Failure error={me.error} retry={() => void me.refetch()} />
        )}
      </main>
    );
  }
  const member = toMember(me.data);
  if (member === undefined) {
    return (
      <main className="content">
        <Empty
          icon={UserRound}
          title="You do not belong to a tenant"
          actions={
            <a className={buttonClass()} href="/portal/account">
              Your account
            </a>
          }
        >
          <p>Ask an owner for an invitation. You can still change how you sign in.</p>
        </Empty>
      </main>
    );
  }
  return (
    <MemberProvider value={member}>
      <Toaster>
        <div className="frame">
          <a className="skip" href="#content">
            Skip to the content
          </a>
          <Side />
          <main className="content" id="content" tabIndex={-1} key={member.tenant.id}>
            <TenantContent tenant={member.tenant} />
          </main>
        </div>
        <Shortcuts />
        <Palette />
        <div className="notices">
          <NetworkWatch />
          <IdleWatch />
        </div>
      </Toaster>
    </MemberProvider>
  );
}

/** Replaces the page if the tenant cannot be used. */
function TenantContent({ tenant }: { readonly tenant: MyTenant }) {
  if (tenant.needs_sign_in_way) return <WayRequired tenant={tenant} />;
  return tenant.removed_at === undefined ? <Outlet /> : <DeletedTenant removedAt={tenant.removed_at} />;
}
