import type { ExportApprovals } from '../../exports/index.ts';
import type { ApprovalDecisions } from '../../approvals/index.ts';
import type { InvitationAcceptance } from '../people/invitation-acceptance.ts';
import type { PasskeySignIn } from '../ways/passkey-sign-in.ts';
import type { PasswordSignIn } from '../ways/password-sign-in.ts';
import type { ProviderSignIn } from '../ways/provider-sign-in.ts';
import type { RecoveryCodes } from '../ways/recovery-codes.ts';
import type { SignInLinks } from '../ways/sign-in-links.ts';
import type { UserSessions } from '../people/user-sessions.ts';
import type { WayRemoval } from '../ways/way-removal.ts';

/** Everything that the portal pages use. */
export interface Portal {
  readonly publicUrl: string;
  readonly sessions: UserSessions;
  readonly links: SignInLinks;
  readonly exports: ExportApprovals;
  readonly approvals: ApprovalDecisions;
  readonly acceptance: InvitationAcceptance;
  readonly passwords: PasswordSignIn;
  readonly recoveryCodes: RecoveryCodes;
  readonly wayRemoval: WayRemoval;
  readonly passkeys: PasskeySignIn;
  /** The OpenID provider, if the operator has configured one. */
  readonly provider: ProviderSignIn | undefined;
}
