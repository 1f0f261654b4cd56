import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Application } from '../../api/applications';
import { api, unwrap } from '../../api/client';
import { Dialog } from '../../parts/dialog';
import { Field } from '../../parts/field';
import { countOf } from '../../parts/number';
import { Failure } from '../../parts/states';
import { StaleSignIn } from '../../parts/stale-sign-in';

/** Deletes an application. The user must type its name, which prevents deleting the wrong one. */
export function DeleteApplication(dialog: { readonly application: Application; readonly onClose: () => void }) {
  const { application, onClose } = dialog;
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE('/applications/{id}', { params: { path: { id: application.id } } })),
    onSuccess: async () => {
      await navigate({ to: '/applications' });
      queries.removeQueries({ queryKey: ['application', application.id] });
      await queries.invalidateQueries({ queryKey: ['applications'] });
    },
  });
  return (
    <Dialog title={`Delete ${application.name}?`} onClose={onClose}>
      <StaleSignIn />
      <p>
        {application.keys.length === 0
          ? 'It has no keys.'
          : `${countOf(application.keys.length, 'key')} will be refused at once.`}{' '}
        Tokens that it created stay. This cannot be undone.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate();
        }}
      >
        <Field label={`Type “${application.name}” to confirm`}>
          {(ids) => (
            <input {...ids} autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
          )}
        </Field>
        {remove.error === null ? null : <Failure error={remove.error} />}
        <button type="submit" className="danger" disabled={typed !== application.name || remove.isPending}>
          Delete the application
        </button>
      </form>
    </Dialog>
  );
}
