import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Application } from '../../api/applications';
import { api, unwrap } from '../../api/client';
import { Confirmation } from '../../parts/overlay/confirmation';
import { useToast } from '../../parts/overlay/toast';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { countOf } from '../../parts/show/number';

/** Deletes an application. The user must type its name, which prevents deleting the wrong one. */
export function DeleteApplication(dialog: { readonly application: Application; readonly onClose: () => void }) {
  const { application, onClose } = dialog;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE('/applications/{id}', { params: { path: { id: application.id } } })),
    onSuccess: async () => {
      toast({ text: `${application.name} was deleted` });
      await navigate({ to: '/applications' });
      queries.removeQueries({ queryKey: ['application', application.id] });
      await queries.invalidateQueries({ queryKey: ['applications'] });
    },
  });
  return (
    <Confirmation
      title={`Delete ${application.name}?`}
      action="Delete the application"
      typedName={application.name}
      work={remove}
      onClose={onClose}
    >
      <StaleSignIn />
      <p>
        {application.keys.length === 0
          ? 'It has no keys.'
          : `${countOf(application.keys.length, 'key')} will be refused at once.`}{' '}
        Tokens that it created stay. This cannot be undone.
      </p>
    </Confirmation>
  );
}
