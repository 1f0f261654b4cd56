import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { UserX } from 'lucide-react';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { CopiedId } from '../../parts/controls/copied-id';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { ActorName } from '../../parts/show/actor-name';
import { Fact, Facts } from '../../parts/show/fact';
import { Seen } from '../../parts/show/seen';
import { Time } from '../../parts/show/time';
import { type Member, nameOf, nameOfRole, nameOfWay, roleNotes } from './member-view';

/** Shows a member: their role, how they sign in, and what they saw. People who were removed keep what they did. */
export function MemberPage() {
  const { userId } = useParams({ from: '/members/$userId' });
  const { tenant } = useMember();
  const members = useQuery({
    queryKey: ['member', tenant.id, userId],
    queryFn: () => unwrap(api.GET('/tenants/self/members', { params: { query: { user_id: userId } } })),
  });
  const member = members.data?.data[0];
  return (
    <Page
      title={member === undefined ? 'Member' : nameOf(member)}
      crumbs={[
        <Link key="members" to="/members">
          Members
        </Link>,
      ]}
      lead={member === undefined ? undefined : `${nameOfRole(member.role)}. ${roleNotes[member.role] ?? ''}`}
      docs="portal"
      hasTimes
    >
      <div className="columns side-left token-columns">
        <QueryView query={members} what="the member">
          {() =>
            member === undefined ? (
              <Card>
                <Empty icon={UserX} title="Nobody with this id is a member">
                  <p>They may have been removed. What they did stays in the log.</p>
                </Empty>
              </Card>
            ) : (
              <MemberFacts member={member} />
            )
          }
        </QueryView>
        <Seen whose={{ actor_id: userId }} title="What they saw and did" />
      </div>
    </Page>
  );
}

function MemberFacts({ member }: { readonly member: Member }) {
  const { user, created_at: joined, created_by: inviter, last_signed_in_at: seen, sign_in_ways: ways } = member;
  return (
    <Card title="Facts">
      <CardBody>
        <Facts>
          {user.email === undefined ? null : <Fact name="E-mail address">{user.email}</Fact>}
          <Fact name="Joined">
            <Time at={joined} form="exact" />
          </Fact>
          {inviter === undefined ? null : (
            <Fact name="Invited by">
              <ActorName id={inviter} type="user" />
            </Fact>
          )}
          <Fact name="Last sign-in">{seen === undefined ? 'never' : <Time at={seen} form="exact" />}</Fact>
          <Fact name="Signs in with">{ways.length === 0 ? 'a link only' : ways.map(nameOfWay).join(', ')}</Fact>
          <Fact name="Id">
            <CopiedId id={user.id} isWhole />
          </Fact>
        </Facts>
      </CardBody>
    </Card>
  );
}
