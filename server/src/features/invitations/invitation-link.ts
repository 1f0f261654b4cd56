import type { EmailAddress } from '../../core/identity/email-address.ts';
import { generateNonce, parseNonce } from '../../platform/keyring/sign-in/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/keys/system-keys.ts';
import type { NoLink, StoredLink } from './invitation-store.ts';

/** Creates and parses invitation links. A link contains 256 random bits and is looked up by its hash. */
export class InvitationLinks {
  readonly #systemKeys: SystemKeys;
  readonly #publicUrl: string;

  constructor(parts: { systemKeys: SystemKeys; publicUrl: string }) {
    this.#systemKeys = parts.systemKeys;
    this.#publicUrl = parts.publicUrl;
  }

  /**
   * Creates a link. It is bound to this address, so that it cannot be mailed to another address if it is moved to
   * another row.
   */
  make(invitationId: string, email: EmailAddress): StoredLink {
    const { secret, text } = generateNonce();
    const sealed = this.#systemKeys.sealer().seal(text, placeOf(invitationId, email));
    return { hash: this.#systemKeys.hashCredential(secret), sealed };
  }

  /** Creates a placeholder for an invitation that awaits approval. */
  makeNone(): NoLink {
    return { hash: this.#systemKeys.hashCredential(generateNonce().secret), sealed: null };
  }

  /** Decrypts a link. Returns the URL that the invited person opens. */
  open(invitation: { readonly id: string; readonly email: EmailAddress }, sealed: Buffer): string {
    const text = this.#systemKeys.sealer().open(sealed, placeOf(invitation.id, invitation.email));
    return `${this.#publicUrl}/portal/invitations/${text}`;
  }

  /** Returns undefined if the text cannot be a link. */
  hash(text: string): Buffer | undefined {
    const secret = parseNonce(text);
    return secret === undefined ? undefined : this.#systemKeys.hashCredential(secret);
  }
}

function placeOf(invitationId: string, email: EmailAddress) {
  return { owner: invitationId, field: `invitation link for ${email}` };
}
