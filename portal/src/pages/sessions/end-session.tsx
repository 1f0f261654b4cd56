import { useMutation, useQueryClient } from '@tanstack/react-query';
import { endSession, type Session } from '../../api/sessions';
import { Confirmation } from '../../parts/overlay/confirmation';
import { useToast } from '../../parts/overlay/toast';
import { Fact, Facts } from '../../parts/show/fact';
import { Time } from '../../parts/show/time';
import { SessionRights } from './session-rights';

/** Asks for confirmation before ending a session. */
export function EndSession({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const toast = useToast();
  const end = useMutation({
    mutationFn: () => endSession(session.id),
    onSuccess: async () => {
      onClose();
      toast({ text: 'The session was ended' });
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <Confirmation title="End this session?" action="End the session" work={end} onClose={onClose}>
      <p>
        Every server refuses its key from then on. The key that authorized it can authorize others: if that key has
        leaked, revoke it instead.
      </p>
      <Facts>
        <Fact name="Id">
          <code>{session.id}</code>
        </Fact>
        <Fact name="May">
          <SessionRights session={session} />
        </Fact>
        <Fact name="Ends by itself">
          <Time at={session.expires_at} form="exact" />
        </Fact>
      </Facts>
    </Confirmation>
  );
}
