import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { Confirmation } from '../../parts/confirmation';

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
        <Confirmation
          title="Delete this token?"
          action="Delete the token"
          work={removal}
          onClose={() => setAsking(false)}
        >
          <p>
            The data of <code>{id}</code> is deleted and cannot be restored. Applications that use the token will get an
            error. Its audit records stay.
          </p>
        </Confirmation>
      ) : null}
    </>
  );
}
