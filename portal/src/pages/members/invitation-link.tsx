import { useQuery } from '@tanstack/react-query';
import { fetchPortal } from '../../api/client';
import { Button } from '../../parts/controls/button';
import { CopyBlock } from '../../parts/controls/copy-block';
import { Dialog, DialogFoot } from '../../parts/overlay/dialog';
import { QueryView } from '../../parts/page/query-view';
import { Time } from '../../parts/show/time';
import type { Invitation } from './member-view';

/** Shows the link of an invitation, for members of a vault that has no mail server. The vault records that it did. */
export function InvitationLink({
  invitation: { id, email, expires_at: expiresAt },
  close,
}: {
  readonly invitation: Invitation;
  readonly close: () => void;
}) {
  const link = useQuery({
    queryKey: ['invitation-link', id, expiresAt],
    queryFn: () => loadLink(id),
    // Each request is recorded, so the link is loaded once and forgotten when the dialog closes.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return (
    <Dialog title={`Link for ${email}`} onClose={close}>
      <QueryView query={link} what="the link">
        {(text) => (
          <>
            <p>
              This vault has no mail server, so nothing was sent. Give this link to {email} through a channel that you
              trust: whoever opens it first joins in their name. It works once, until{' '}
              <Time at={expiresAt} form="exact" />.
            </p>
            <CopyBlock text={text} label="Link of the invitation" />
          </>
        )}
      </QueryView>
      <DialogFoot>
        <Button kind="main" onClick={close}>
          Done
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

async function loadLink(id: string): Promise<string> {
  const response = await fetchPortal(`/tenants/self/invitations/${id}/link`, 'POST');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The vault that serves this page sent it.
  const { link } = (await response.json()) as { readonly link: string };
  return link;
}
