import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { membersQuery, membersShown } from '../../api/members';
import { Page, Section } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Empty } from '../../parts/states';
import { countOf } from '../../parts/number';
import { InvitationForm } from './invitation-form';
import { InvitationTable } from './invitation-table';
import { MemberTable } from './member-table';
import { TenantDeletion } from './tenant-deletion';

/** The largest page that the API returns. */
const invitationsShown = 50;

/** Shows the members of the tenant and open invitations. */
export function MembersPage() {
  const reader = useMember();
  const [isInviting, setInviting] = useState(false);
  const members = useQuery(membersQuery);
  const invitations = useQuery({
    queryKey: ['invitations', reader.tenant.id],
    queryFn: () => unwrap(api.GET('/tenants/self/invitations', { params: { query: { size: invitationsShown } } })),
  });
  const mayInvite = reader.may('tenant:invitation:create');
  const invite = (
    <button type="button" className="primary" onClick={() => setInviting(true)}>
      Invite a member
    </button>
  );
  return (
    <Page
      title="Members"
      lead="People who can sign in to this tenant. Applications have keys of their own."
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
      <Section title="Invitations" note="An invitation that was accepted is no longer listed.">
        <QueryView query={invitations} what="invitations">
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="Nobody is invited at the moment.">
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
      </Section>
      <TenantDeletion />
      {isInviting ? <InvitationForm close={() => setInviting(false)} /> : null}
    </Page>
  );
}
