import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { ApprovalNotice } from '../../parts/page/approval';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { SettingsForm } from './settings-form';

/** Shows the settings of the tenant, with what each of them weakens. */
export function SettingsPage() {
  const member = useMember();
  const { tenant } = member;
  const mayChange = member.may('tenant:update');
  const query = useQuery({
    queryKey: ['tenant', tenant.id],
    queryFn: () => unwrap(api.GET('/tenants/self')),
    // What somebody is editing must not change under their hands.
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      title="Settings"
      lead={
        mayChange
          ? 'They apply to all tokens and applications of this tenant. Each change is recorded.'
          : 'They apply to all tokens and applications of this tenant. Owners and admins change them.'
      }
      docs="operate/tenants"
    >
      {mayChange ? <StaleSignIn /> : null}
      <QueryView query={query} what="the settings">
        {(found) => (
          <>
            <ApprovalNotice of={found} what="A change of these settings awaits approval." />
            <SettingsForm key={found.modified_at ?? ''} tenant={found} />
          </>
        )}
      </QueryView>
    </Page>
  );
}
