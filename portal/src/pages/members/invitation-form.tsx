import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { Problem } from '../../api/problem';
import { Field } from '../../parts/controls/field';
import { FormDialog } from '../../parts/overlay/form-dialog';
import { useToast } from '../../parts/overlay/toast';
import { Failure } from '../../parts/page/states';
import { type Invitation, roleNotes } from './member-view';
import { invitedRoles, RoleSelect } from './role-select';

/** Invites somebody by e-mail. Without a mail server, `onLinked` gets the invitation whose link has to be passed on. */
export function InvitationForm({
  close,
  onLinked,
}: {
  readonly close: () => void;
  readonly onLinked: (invitation: Invitation) => void;
}) {
  const { mails_invitations: isMailed } = useMember();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<(typeof invitedRoles)[number]>('READ_ONLY');
  const queries = useQueryClient();
  const toast = useToast();
  const invitation = useMutation({
    mutationFn: () => unwrap(api.POST('/tenants/self/invitations', { body: { email, role } })),
    onSuccess: async (invitation) => {
      await queries.invalidateQueries({ queryKey: ['invitations'] });
      close();
      if (isMailed || invitation.approval?.status === 'pending') toast({ text: `${email} is invited` });
      else onLinked(invitation);
    },
  });
  const { error } = invitation;
  const errors = error instanceof Problem ? error.fields['email'] : undefined;
  return (
    <FormDialog
      title="Invite a member"
      action={isMailed ? 'Send the invitation' : 'Create the invitation'}
      isChanged={email !== '' || role !== 'READ_ONLY'}
      isSaving={invitation.isPending}
      onSave={invitation.mutate}
      onClose={close}
    >
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
    </FormDialog>
  );
}
