import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { Button } from '../../parts/controls/button';
import { shortenId } from '../../parts/controls/copied-id';
import { Confirmation } from '../../parts/overlay/confirmation';
import { useToast } from '../../parts/overlay/toast';
import { setPasted } from '../../parts/find/pasted-text';
import { lastSearch } from './last-search';

/** Deletes a token after a confirmation. */
export function TokenRemoval({ id }: { readonly id: string }) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const removal = useMutation({
    mutationFn: () => unwrap(api.DELETE('/tokens/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      toast({
        text: `Token ${shortenId(id)} deleted`,
        action: { label: 'Its records', onPress: () => void navigate({ to: '/audit', search: { entity_id: id } }) },
      });
      const { search, pasted } = lastSearch();
      await navigate({ to: '/tokens', search });
      setPasted(pasted);
      await queries.invalidateQueries({ queryKey: ['tokens'] });
    },
  });
  return (
    <>
      <Button kind="warns" icon={Trash2} onClick={() => setAsking(true)}>
        Delete
      </Button>
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
