import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useMember } from '../../api/me';
import { Button } from '../../parts/controls/button';
import { CopiedId } from '../../parts/controls/copied-id';
import { findPinnedKey, pinKey, unpinKey } from '../../proof/pinned-key';

/** Shows the keys that verify proofs: the one that the vault offers, and the one that the user has pinned. */
export function AuditKey({ offered }: { readonly offered: Schemas['AuditKey'] | undefined }) {
  const { tenant } = useMember();
  const [pinned, setPinned] = useState(() => findPinnedKey(tenant.id));
  if (offered === undefined) return null;
  const trusted = { version: offered.version, key: offered.public_key };
  const isOther = pinned !== undefined && (pinned.key !== trusted.key || pinned.version !== trusted.version);
  return (
    <>
      <p className="small">
        Public key, version {pinned?.version ?? trusted.version}: <CopiedId id={pinned?.key ?? trusted.key} isWhole />
      </p>
      {pinned === undefined ? (
        <>
          <p className="note">
            This key comes from the vault itself. Compare it with the one that <code>strongroom audit verify</code>{' '}
            prints, then pin it: from then on this browser trusts no other.
          </p>
          <div>
            <Button
              isSmall
              onClick={() => {
                pinKey(tenant.id, trusted);
                setPinned(trusted);
              }}
            >
              Pin this key
            </Button>
          </div>
        </>
      ) : (
        <>
          <p className="note">
            {isOther ? 'The vault now offers another key than the pinned one.' : 'Pinned in this browser.'}
          </p>
          <div>
            <Button
              isSmall
              onClick={() => {
                unpinKey(tenant.id);
                setPinned(undefined);
              }}
            >
              Unpin
            </Button>
          </div>
        </>
      )}
    </>
  );
}
