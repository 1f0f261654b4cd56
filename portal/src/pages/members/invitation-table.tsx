import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { Button } from '../../parts/controls/button';
import { useToast } from '../../parts/overlay/toast';
import { ApprovalTag } from '../../parts/page/approval';
import { type Column, DataTable } from '../../parts/show/data-table';
import { Confirmation } from '../../parts/overlay/confirmation';
import { Failure } from '../../parts/page/states';
import { Tag } from '../../parts/show/tag';
import { Time } from '../../parts/show/time';
import { InvitationLink } from './invitation-link';
import { type Invitation, nameOfRole } from './member-view';

const facts: readonly Column<Invitation>[] = [
  { header: 'Invited', isWide: true, cell: ({ email }) => <b>{email}</b> },
  { header: 'Role', cell: ({ role }) => <Tag>{nameOfRole(role)}</Tag> },
  {
    header: 'Status',
    cell: (invitation) => (
      <span className="line">
        {invitation.status === 'EXPIRED' ? <Tag tone="bad">Expired</Tag> : <Tag>Pending</Tag>}{' '}
        <ApprovalTag of={invitation} />
      </span>
    ),
  },
  { header: 'Created', cell: ({ created_at, modified_at }) => <Time at={modified_at ?? created_at} form="ago" /> },
  { header: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} form="exact" /> },
];

export function InvitationTable({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const reader = useMember();
  const queries = useQueryClient();
  const toast = useToast();
  const { mails_invitations: isMailed } = reader;
  const [deleting, setDeleting] = useState<Invitation>();
  const [linked, setLinked] = useState<Invitation>();
  const resending = useMutation({
    mutationFn: ({ id }: Invitation) =>
      unwrap(api.POST('/tenants/self/invitations/{id}/resend', { params: { path: { id } } })),
    onSuccess: (renewed) => {
      if (renewed.approval?.status === 'pending') return;
      if (isMailed) toast({ text: `A new link is being mailed to ${renewed.email}. The old one no longer works.` });
      else setLinked(renewed);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  const mayResend = reader.may('tenant:invitation:update');
  const mayDelete = reader.may('tenant:invitation:delete');
  const actions: Column<Invitation> = {
    header: 'Actions',
    isActions: true,
    cell: (invitation) => (
      <div className="row-actions">
        {mayResend && !isMailed && isOpen(invitation) ? (
          <Button isSmall aria-label={`Show link for ${invitation.email}`} onClick={() => setLinked(invitation)}>
            Show link
          </Button>
        ) : null}
        {mayResend ? (
          <Button
            isSmall
            aria-label={isMailed ? `Resend the invitation to ${invitation.email}` : `New link for ${invitation.email}`}
            disabled={resending.isPending}
            onClick={() => resending.mutate(invitation)}
          >
            {isMailed ? 'Resend' : 'New link'}
          </Button>
        ) : null}
        {mayDelete ? (
          <Button
            isSmall
            kind="warns"
            aria-label={`Delete the invitation to ${invitation.email}`}
            onClick={() => setDeleting(invitation)}
          >
            Delete
          </Button>
        ) : null}
      </div>
    ),
  };
  return (
    <>
      {resending.error === null ? null : <Failure error={resending.error} />}
      <DataTable
        caption="Invitations"
        columns={[...facts, ...(mayResend || mayDelete ? [actions] : [])]}
        rows={invitations}
        keyOf={({ id }) => id}
      />
      {linked === undefined ? null : <InvitationLink invitation={linked} close={() => setLinked(undefined)} />}
      {deleting === undefined ? null : <Deletion invitation={deleting} close={() => setDeleting(undefined)} />}
    </>
  );
}

/** Returns true if the invitation has a link that works. */
function isOpen({ status, approval }: Invitation): boolean {
  return status === 'PENDING' && approval?.status !== 'pending';
}

function Deletion({ invitation, close }: { readonly invitation: Invitation; readonly close: () => void }) {
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => unwrap(api.DELETE('/tenants/self/invitations/{id}', { params: { path: { id: invitation.id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['invitations'] });
      close();
    },
  });
  return (
    <Confirmation title="Delete the invitation?" action="Delete the invitation" work={deletion} onClose={close}>
      <p>
        The link that <strong>{invitation.email}</strong> got stops working.
      </p>
    </Confirmation>
  );
}
