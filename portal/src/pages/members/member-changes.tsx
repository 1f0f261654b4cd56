import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../../api/client';
import { Dialog } from '../../parts/dialog';
import { Field } from '../../parts/field';
import { Failure } from '../../parts/states';
import { type Member, nameOf, roleNotes } from './member-view';
import { type MemberRole, memberRoles, RoleSelect } from './role-select';

/** Asks for another role. Whether the change is possible, the vault decides and says. */
export function RoleChange({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const [role, setRole] = useState<MemberRole>(memberRoles.find((one) => one === member.role) ?? 'READ_ONLY');
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      unwrap(api.PUT('/tenants/self/members/{id}', { params: { path: { id: member.id } }, body: { role } })),
    onSuccess: async () => {
      // It may be the role of the reader, which decides what the frame shows.
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['members'] }),
        queries.invalidateQueries({ queryKey: ['me'] }),
      ]);
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Dialog title={`Role of ${nameOf(member)}`} onClose={close}>
      <form onSubmit={submit}>
        <Field label="Role" hint={roleNotes[role]}>
          {(ids) => <RoleSelect {...ids} roles={memberRoles} value={role} onChange={setRole} />}
        </Field>
        {change.error === null ? null : <Failure error={change.error} />}
        <div className="actions">
          <button className="primary" disabled={change.isPending || role === member.role}>
            Change the role
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function MemberRemoval({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const queries = useQueryClient();
  const removal = useMutation({
    mutationFn: () => unwrap(api.DELETE('/tenants/self/members/{id}', { params: { path: { id: member.id } } })),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['members'] }),
        queries.invalidateQueries({ queryKey: ['me'] }),
      ]);
      close();
    },
  });
  return (
    <Dialog title={`Remove ${nameOf(member)}?`} onClose={close}>
      <p>They lose access to this tenant with their next request. Their audit records stay.</p>
      {removal.error === null ? null : <Failure error={removal.error} />}
      <div className="actions">
        <button type="button" className="danger" disabled={removal.isPending} onClick={() => removal.mutate()}>
          Remove the member
        </button>
      </div>
    </Dialog>
  );
}
