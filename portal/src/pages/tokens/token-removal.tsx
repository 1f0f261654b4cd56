import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { Dialog } from '../../parts/dialog';
import { Failure } from '../../parts/states';

/** Deletes a token after a confirmation. */
export function TokenRemoval({ id }: { readonly id: string }) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const removal = useMutation({
    mutationFn: () => unwrap(api.DELETE('/tokens/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/tokens' });
      await queries.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
  return (
    <>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        Delete
      </button>
      {isAsking ? (
        <Dialog title="Delete this token?" onClose={() => setAsking(false)}>
          <p>
            The data of <code>{id}</code> is deleted and cannot be restored. Applications that use the token will get an
            error. Its audit records stay.
          </p>
          {removal.error === null ? null : <Failure error={removal.error} />}
          <div className="actions">
            <button type="button" className="danger" disabled={removal.isPending} onClick={() => removal.mutate()}>
              Delete the token
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
