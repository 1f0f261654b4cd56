import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../../api/client';
import type { Role } from '../../api/me';
import { membersQuery } from '../../api/members';
import { Confirmation } from '../../parts/confirmation';
import { Dialog } from '../../parts/dialog';
import { Field } from '../../parts/field';
import { Failure } from '../../parts/states';
import { type Member, nameOf, roleNotes } from './member-view';
import { memberRoles, RoleSelect } from './role-select';

/** Reloads the members and the signed-in user. If users change their own role, the frame may show different pages. */
async function forgetMembers(queries: QueryClient): Promise<void> {
  await Promise.all([queries.invalidateQueries(membersQuery), queries.invalidateQueries({ queryKey: ['me'] })]);
}

/** Changes the role of a member. The vault decides whether the change is allowed. */
export function RoleChange({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const [role, setRole] = useState<Role>(memberRoles.find((one) => one === member.role) ?? 'READ_ONLY');
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      unwrap(api.PUT('/tenants/self/members/{id}', { params: { path: { id: member.id } }, body: { role } })),
    onSuccess: async () => {
      await forgetMembers(queries);
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
      await forgetMembers(queries);
      close();
    },
  });
  return (
    <Confirmation title={`Remove ${nameOf(member)}?`} action="Remove the member" work={removal} onClose={close}>
      <p>
        They lose access to this tenant with their next request. Management keys that they created stop working, and
        their open invitations end. Keys of other applications keep working: replace those that they have seen. Their
        audit records stay.
      </p>
    </Confirmation>
  );
}
