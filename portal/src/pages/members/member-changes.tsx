import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { type Role, useMember } from '../../api/me';
import { membersQuery } from '../../api/members';
import { Confirmation } from '../../parts/overlay/confirmation';
import { FormDialog } from '../../parts/overlay/form-dialog';
import { useToast } from '../../parts/overlay/toast';
import { Field } from '../../parts/controls/field';
import { Failure } from '../../parts/page/states';
import { describe, type Member, roleNotes } from './member-view';
import { memberRoles, RoleSelect } from './role-select';

/** Reloads the members and the signed-in user. If users change their own role, the frame may show different pages. */
async function forgetMembers(queries: QueryClient): Promise<void> {
  await Promise.all([queries.invalidateQueries(membersQuery), queries.invalidateQueries({ queryKey: ['me'] })]);
}

/** Changes the role of a member. The vault decides whether the change is allowed. */
export function RoleChange({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const [role, setRole] = useState<Role>(memberRoles.find((one) => one === member.role) ?? 'READ_ONLY');
  const reader = useMember();
  // The tenant can be handed over by its owner only.
  const roles = memberRoles.filter((one) => one !== 'OWNER' || reader.tenant.role === 'OWNER');
  const queries = useQueryClient();
  const toast = useToast();
  const change = useMutation({
    mutationFn: () =>
      unwrap(api.PUT('/tenants/self/members/{id}', { params: { path: { id: member.id } }, body: { role } })),
    onSuccess: async () => {
      toast({ text: `The role of ${describe(member)} was changed` });
      await forgetMembers(queries);
      close();
    },
  });
  return (
    <FormDialog
      title={`Role of ${describe(member)}`}
      action="Change the role"
      isChanged={role !== member.role}
      isSaving={change.isPending}
      maySave={role !== member.role}
      onSave={change.mutate}
      onClose={close}
    >
      <Field label="Role" hint={roleNotes[role]}>
        {(ids) => <RoleSelect {...ids} roles={roles} value={role} onChange={setRole} />}
      </Field>
      {change.error === null ? null : <Failure error={change.error} />}
    </FormDialog>
  );
}

export function MemberRemoval({ member, close }: { readonly member: Member; readonly close: () => void }) {
  const queries = useQueryClient();
  const toast = useToast();
  const removal = useMutation({
    mutationFn: () => unwrap(api.DELETE('/tenants/self/members/{id}', { params: { path: { id: member.id } } })),
    onSuccess: async () => {
      toast({ text: `${describe(member)} was removed` });
      await forgetMembers(queries);
      close();
    },
  });
  return (
    <Confirmation title={`Remove ${describe(member)}?`} action="Remove the member" work={removal} onClose={close}>
      <p>
        They lose access to this tenant with their next request. Management keys that they created stop working, and
        their open invitations end. Keys of other applications keep working: replace those that they have seen. Their
        audit records stay.
      </p>
    </Confirmation>
  );
}
