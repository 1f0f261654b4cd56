import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { Button } from '../../parts/controls/button';
import { ApprovalTag } from '../../parts/page/approval';
import { type Column, TableCard } from '../../parts/show/data-table';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { MemberRemoval, RoleChange } from './member-changes';
import { describe, type Member, nameOf, nameOfRole, nameOfWay } from './member-view';

/** Shows the members of the tenant, and the actions that the user may take. */
export function MemberTable({ members }: { readonly members: readonly Member[] }) {
  const reader = useMember();
  const [open, setOpen] = useState<{ readonly what: 'role' | 'removal'; readonly member: Member }>();
  const mayChange = reader.may('tenant:member:update');
  const mayRemove = reader.may('tenant:member:delete');
  const actions: Column<Member> = {
    header: 'Actions',
    isActions: true,
    cell: (member) => (
      <div className="row-actions">
        {member.role === 'OWNER' ? <span className="note">stays until another member owns the tenant</span> : null}
        {mayChange && member.role !== 'OWNER' ? (
          <Button
            isSmall
            aria-label={`Change role of ${describe(member)}`}
            onClick={() => setOpen({ what: 'role', member })}
          >
            Change role
          </Button>
        ) : null}
        {mayRemove && member.role !== 'OWNER' ? (
          <Button
            isSmall
            kind="warns"
            aria-label={`Remove ${describe(member)}`}
            onClick={() => setOpen({ what: 'removal', member })}
          >
            Remove
          </Button>
        ) : null}
      </div>
    ),
  };
  const columns = [...listColumns(reader.user.id), ...(mayChange || mayRemove ? [actions] : [])];
  const close = () => setOpen(undefined);
  return (
    <>
      <TableCard caption="Members" columns={columns} rows={members} keyOf={({ id }) => id} />
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
        <span>
          <Link to="/members/$userId" params={{ userId: member.user.id }}>
            <b>{nameOf(member)}</b>
          </Link>
          {member.user.id === ownId ? <span className="muted"> (you)</span> : null}
          {member.user.first_name === undefined ? null : <span className="muted"> {member.user.email}</span>}
        </span>
      ),
    },
    {
      header: 'Role',
      cell: (member) => (
        <span className="line">
          <Tag>{nameOfRole(member.role)}</Tag>
          <ApprovalTag of={member} />
        </span>
      ),
    },
    { header: 'Joined', cell: ({ created_at }) => <Time at={created_at} form="day" /> },
    {
      header: 'Last sign-in',
      cell: ({ last_signed_in_at: at }) =>
        at === undefined ? <span className="muted">never</span> : <Time at={at} form="ago" />,
    },
    {
      header: 'Signs in with',
      cell: ({ sign_in_ways: ways }) =>
        ways.length === 0 ? <span className="muted">a link only</span> : ways.map(nameOfWay).join(', '),
    },
  ];
}
