import { useMutation } from '@tanstack/react-query';
import { Confirmation } from '../../../parts/confirmation';
import { Time } from '../../../parts/time';
import { type UsedKey, revokeKey } from './key-calls';
import { LastUsed } from './last-used';

/** Asks for confirmation before revoking a key. */
export function RevokeKey(dialog: {
  readonly applicationId: string;
  readonly revoked: UsedKey;
  readonly onRevoked: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { applicationId, revoked, onRevoked, onClose } = dialog;
  const revoke = useMutation({
    mutationFn: () => revokeKey(applicationId, revoked.id),
    onSuccess: async () => {
      onClose();
      await onRevoked();
    },
  });
  return (
    <Confirmation title="Revoke this key?" action="Revoke the key" work={revoke} onClose={onClose}>
      <p>Every server refuses it from then on. A revoked key cannot be brought back.</p>
      <dl className="facts dialog-facts">
        <dt>Id</dt>
        <dd>
          <code>{revoked.id}</code>
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={revoked.created_at} />
        </dd>
        <dt>Last used</dt>
        <dd>
          <LastUsed used={revoked} />
        </dd>
      </dl>
    </Confirmation>
  );
}
