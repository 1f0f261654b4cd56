import { useMutation } from '@tanstack/react-query';
import { Confirmation } from '../../../parts/overlay/confirmation';
import { useToast } from '../../../parts/overlay/toast';
import { Fact, Facts } from '../../../parts/show/fact';
import { Time } from '../../../parts/show/time';
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
  const toast = useToast();
  const revoke = useMutation({
    mutationFn: () => revokeKey(applicationId, revoked.id),
    onSuccess: async () => {
      onClose();
      toast({ text: 'The key was revoked' });
      await onRevoked();
    },
  });
  return (
    <Confirmation title="Revoke this key?" action="Revoke the key" work={revoke} onClose={onClose}>
      <p>Every server refuses it from then on. A revoked key cannot be brought back.</p>
      <Facts>
        <Fact name="Id">
          <code>{revoked.id}</code>
        </Fact>
        <Fact name="Created">
          <Time at={revoked.created_at} form="exact" />
        </Fact>
        <Fact name="Last used">
          <LastUsed used={revoked} />
        </Fact>
      </Facts>
    </Confirmation>
  );
}
