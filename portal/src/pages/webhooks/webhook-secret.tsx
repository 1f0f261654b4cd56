import type { WebhookWithSecret } from '../../api/webhooks';
import { CopyBlock } from '../../parts/controls/copy-block';
import { SecretDialog } from '../../parts/overlay/secret-dialog';
import { Time } from '../../parts/show/time';

/** Shows a signing secret, which no other response contains. */
export function WebhookSecret({ made, onClose }: { readonly made: WebhookWithSecret; readonly onClose: () => void }) {
  const { signing_secret: secret, previous_secret_expires_at: until } = made;
  return (
    <SecretDialog title="The signing secret" onClose={onClose}>
      <p>
        Your server checks the signature of each request with it. It is shown only now: copy it to where your server
        reads it.
      </p>
      {secret === undefined ? null : <CopyBlock text={secret} label="Signing secret" />}
      {until === undefined ? null : (
        <p className="note">
          Until <Time at={until} form="exact" />, requests are signed with the previous secret as well.
        </p>
      )}
    </SecretDialog>
  );
}
