import { Eye } from 'lucide-react';
import { useState } from 'react';
import { CopyBlock } from '../../../parts/controls/copy-block';
import { Icon } from '../../../parts/icon';
import { SecretGuard } from '../../../parts/overlay/leave-guard';

/**
 * Shows the secret of a new key. The vault does not store it, so it cannot be shown again: until it was copied, leaving
 * asks first.
 */
export function NewSecret({ secret }: { readonly secret: string }) {
  const [copied, setCopied] = useState<string>();
  return (
    <div className="new-secret">
      <p className="banner plain">
        <Icon of={Eye} />
        <span>
          <strong>Copy the key now.</strong> It is shown only once: the vault keeps only a hash of it.
        </span>
      </p>
      <CopyBlock text={secret} label="Secret of the new key" onCopy={() => setCopied(secret)} />
      <SecretGuard isHeld={copied !== secret} />
    </div>
  );
}
