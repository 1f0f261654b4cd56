import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { ApprovalTag } from '../../parts/approval';
import { type Column, DataTable } from '../../parts/data-table';
import { Confirmation } from '../../parts/confirmation';
import { Failure } from '../../parts/states';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import { type Invitation, nameOfRole } from './member-view';

const facts: readonly Column<Invitation>[] = [
  { header: 'Invited', isWide: true, cell: ({ email }) => <span className="member-name">{email}</span> },
  { header: 'Role', cell: ({ role }) => <Tag>{nameOfRole(role)}</Tag> },
  {
    header: 'Status',
    cell: (invitation) => (
      <>
        {invitation.status === 'EXPIRED' ? <Tag tone="warn">Expired</Tag> : <Tag tone="accent">Pending</Tag>}
        <ApprovalTag of={invitation} />
      </>
    ),
  },
  { header: 'Sent', cell: ({ created_at, modified_at }) => <Time at={modified_at ?? created_at} form="ago" /> },
  { header: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
];

export function InvitationTable({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const reader = useMember();
  const queries = useQueryClient();
  const [deleting, setDeleting] = useState<Invitation>();
  const resending = useMutation({
    mutationFn: ({ id }: Invitation) =>
      unwrap(api.POST('/tenants/self/invitations/{id}/resend', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  const mayResend = reader.may('tenant:invitation:update');
  const mayDelete = reader.may('tenant:invitation:delete');
  const actions: Column<Invitation> = {
    header: 'Actions',
    cell: (invitation) => (
      <div className="row-actions">
        {mayResend ? (
          <button
            type="button"
            aria-label={`Resend the invitation to ${invitation.email}`}
            disabled={resending.isPending}
            onClick={() => resending.mutate(invitation)}
          >
            Resend
          </button>
        ) : null}
        {mayDelete ? (
          <button
            type="button"
            className="danger"
            aria-label={`Delete the invitation to ${invitation.email}`}
            onClick={() => setDeleting(invitation)}
          >
            Delete
          </button>
        ) : null}
      </div>
    ),
  };
  return (
    <>
      {resending.error === null ? null : <Failure error={resending.error} />}
      <p className="note" role="status">
        {resending.isSuccess && resending.data.approval?.status !== 'pending'
          ? `A new link has been sent to ${resending.variables.email}; the old one no longer works.`
          : ''}
      </p>
      <DataTable
        caption="Invitations"
        columns={[...facts, ...(mayResend || mayDelete ? [actions] : [])]}
        rows={invitations}
        keyOf={({ id }) => id}
      />
      {deleting === undefined ? null : <Deletion invitation={deleting} close={() => setDeleting(undefined)} />}
    </>
  );
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
