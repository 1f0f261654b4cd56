import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { MailPlus, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { membersQuery, membersShown } from '../../api/members';
import { Button } from '../../parts/controls/button';
import { Card } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { countOf } from '../../parts/show/number';
import { InvitationForm } from './invitation-form';
import { InvitationLink } from './invitation-link';
import { InvitationTable } from './invitation-table';
import { MemberTable } from './member-table';
import type { Invitation } from './member-view';
import { TenantDeletion } from './tenant-deletion';

/** The largest page that the API returns. */
const invitationsShown = 50;

/** Shows the members of the tenant and open invitations. */
export function MembersPage() {
  const reader = useMember();
  const { invite: wantsToInvite } = useSearch({ from: '/members' });
  const [isInviting, setInviting] = useState(wantsToInvite === 'true');
  const [linked, setLinked] = useState<Invitation>();
  const members = useQuery(membersQuery);
  const invitations = useQuery({
    queryKey: ['invitations', reader.tenant.id],
    queryFn: () => unwrap(api.GET('/tenants/self/invitations', { params: { query: { size: invitationsShown } } })),
  });
  const mayInvite = reader.may('tenant:invitation:create');
  const invite = (
    <Button kind="main" icon={UserPlus} onClick={() => setInviting(true)}>
      Invite a member
    </Button>
  );
  return (
    <Page
      title="Members"
      lead="People who can sign in to this tenant. Applications have keys of their own."
      docs="portal"
      hasTimes
      actions={mayInvite ? invite : undefined}
    >
      <QueryView query={members} what="members">
        {({ data, pagination }) => (
          <>
            <MemberTable members={data} />
            {pagination.total_items > membersShown ? (
              <p className="note">
                The newest {membersShown} of {countOf(pagination.total_items, 'member')} are shown.
              </p>
            ) : null}
          </>
        )}
      </QueryView>
      <Card title="Invitations" note="An invitation that was accepted is no longer listed.">
        <QueryView query={invitations} what="invitations">
          {({ data }) =>
            data.length === 0 ? (
              <Empty icon={MailPlus} title="Nobody is invited at the moment">
                <p>
                  {mayInvite
                    ? 'Invite somebody with their e-mail address. An auditor needs the role “Read only”.'
                    : 'Owners and admins can invite people.'}
                </p>
              </Empty>
            ) : (
              <InvitationTable invitations={data} />
            )
          }
        </QueryView>
      </Card>
      <TenantDeletion />
      {isInviting ? <InvitationForm close={() => setInviting(false)} onLinked={setLinked} /> : null}
      {linked === undefined ? null : <InvitationLink invitation={linked} close={() => setLinked(undefined)} />}
    </Page>
  );
}
