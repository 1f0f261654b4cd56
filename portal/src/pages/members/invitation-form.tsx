import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../../api/client';
import { Problem } from '../../api/problem';
import { Dialog } from '../../parts/dialog';
import { Field } from '../../parts/field';
import { Failure } from '../../parts/states';
import { roleNotes } from './member-view';
import { invitedRoles, RoleSelect } from './role-select';

/** Invites somebody by e-mail. */
export function InvitationForm({ close }: { readonly close: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof invitedRoles)[number]>('READ_ONLY');
  const queries = useQueryClient();
  const invitation = useMutation({
    mutationFn: () => unwrap(api.POST('/tenants/self/invitations', { body: { email, role } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['invitations'] });
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invitation.mutate();
  };
  const { error } = invitation;
  const errors = error instanceof Problem ? error.fields['email'] : undefined;
  return (
    <Dialog title="Invite a member" onClose={close}>
      <form onSubmit={submit}>
        <Field label="E-mail address" errors={errors}>
          {(ids) => (
            <input
              {...ids}
              type="email"
              required
              maxLength={254}
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label="Role" hint={roleNotes[role]}>
          {(ids) => <RoleSelect {...ids} roles={invitedRoles} value={role} onChange={setRole} />}
        </Field>
        {error === null || errors !== undefined ? null : <Failure error={error} />}
        <div className="actions">
          <button className="primary" disabled={invitation.isPending}>
            Send the invitation
          </button>
        </div>
      </form>
    </Dialog>
  );
}
