import { useState } from 'react';
import { useMember } from '../../api/me';
import { ApprovalTag } from '../../parts/approval';
import { type Column, DataTable } from '../../parts/data-table';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import { MemberRemoval, RoleChange } from './member-changes';
import { type Member, nameOf, nameOfRole, nameOfWay } from './member-view';

/** Shows the members of the tenant, and the actions that the user may take. */
export function MemberTable({ members }: { readonly members: readonly Member[] }) {
  const reader = useMember();
  const [open, setOpen] = useState<{ readonly what: 'role' | 'removal'; readonly member: Member }>();
  const mayChange = reader.may('tenant:member:update');
  const mayRemove = reader.may('tenant:member:delete');
  const actions: Column<Member> = {
    header: 'Actions',
    cell: (member) => (
      <div className="row-actions">
        {mayChange ? (
          <button
            type="button"
            aria-label={`Change role of ${nameOf(member)}`}
            onClick={() => setOpen({ what: 'role', member })}
          >
            Change role
          </button>
        ) : null}
        {mayRemove ? (
          <button
            type="button"
            className="danger"
            aria-label={`Remove ${nameOf(member)}`}
            onClick={() => setOpen({ what: 'removal', member })}
          >
            Remove
          </button>
        ) : null}
      </div>
    ),
  };
  const columns = [...listColumns(reader.user.id), ...(mayChange || mayRemove ? [actions] : [])];
  const close = () => setOpen(undefined);
  return (
    <>
      <DataTable caption="Members" columns={columns} rows={members} keyOf={({ id }) => id} />
      {open?.what === 'role' ? <RoleChange member={open.member} close={close} /> : null}
      {open?.what === 'removal' ? <MemberRemoval member={open.member} close={close} /> : null}
    </>
  );
}

function listColumns(ownId: string): readonly Column<Member>[] {
  return [
    {
      header: 'Member',
      isWide: true,
      cell: (member) => (
        <>
          <span className="member-name">{nameOf(member)}</span>
          {member.user.id === ownId ? <span className="note"> (you)</span> : null}
          {member.user.first_name === undefined ? null : <div className="note">{member.user.email}</div>}
        </>
      ),
    },
    {
      header: 'Role',
      cell: (member) => (
        <>
          <Tag tone={member.role === 'OWNER' ? 'accent' : 'plain'}>{nameOfRole(member.role)}</Tag>
          <ApprovalTag of={member} />
        </>
      ),
    },
    { header: 'Joined', cell: ({ created_at }) => <Time at={created_at} form="day" /> },
    {
      header: 'Last sign-in',
      cell: ({ last_signed_in_at: at }) =>
        at === undefined ? <span className="note">never</span> : <Time at={at} form="ago" />,
    },
    {
      header: 'Signs in with',
      cell: ({ sign_in_ways: ways }) =>
        ways.length === 0 ? <span className="note">a link only</span> : ways.map(nameOfWay).join(', '),
    },
  ];
}
