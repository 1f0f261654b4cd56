import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { CopiedId } from '../../parts/copied-id';

/** Who did something: the name of an application or the address of a member, and the id of anybody else. */
export function ActorName({ id, type }: { readonly id: string | undefined; readonly type?: string | undefined }) {
  const reader = useMember();
  const { tenant } = reader;
  const applications = useQuery({
    queryKey: ['application-names', tenant.id],
    queryFn: () => unwrap(api.GET('/applications', { params: { query: { size: 100 } } })),
    staleTime: 60_000,
  });
  const members = useQuery({
    queryKey: ['member-names', tenant.id],
    queryFn: () => unwrap(api.GET('/tenants/self/members', { params: { query: { size: 50 } } })),
    staleTime: 60_000,
  });
  if (id === undefined) return <>{type === 'system' ? 'the vault itself' : (type ?? '-')}</>;
  const application = applications.data?.data.find((one) => one.id === id);
  if (application !== undefined) {
    return (
      <Link to="/applications/$applicationId" params={{ applicationId: id }}>
        {application.name}
      </Link>
    );
  }
  const member = members.data?.data.find(({ user }) => user.id === id);
  if (member?.user.email !== undefined) return <>{member.user.email}</>;
  if (id === reader.user.id) return <>you</>;
  return (
    <span className="actor-id">
      {type === undefined ? '' : `${type} `}
      <CopiedId id={id} />
    </span>
  );
}
