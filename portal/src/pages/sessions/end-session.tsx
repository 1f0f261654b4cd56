import { useMutation, useQueryClient } from '@tanstack/react-query';
import { endSession, type Session } from '../../api/sessions';
import { Confirmation } from '../../parts/confirmation';
import { Time } from '../../parts/time';
import { SessionRights } from './session-rights';

/** Asks for confirmation before ending a session. */
export function EndSession({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => endSession(session.id),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <Confirmation title="End this session?" action="End the session" work={end} onClose={onClose}>
      <p>
        Every server refuses its key from then on. The key that authorized it can authorize others: if that key has
        leaked, revoke it instead.
      </p>
      <dl className="facts dialog-facts">
        <dt>Id</dt>
        <dd>
          <code>{session.id}</code>
        </dd>
        <dt>May</dt>
        <dd>
          <SessionRights session={session} />
        </dd>
        <dt>Ends by itself</dt>
        <dd>
          <Time at={session.expires_at} />
        </dd>
      </dl>
    </Confirmation>
  );
}
