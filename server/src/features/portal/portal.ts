import type { ExportApprovals } from '../exports/index.ts';
import type { ApprovalDecisions } from '../approvals/index.ts';
import type { InvitationAcceptance } from './invitation-acceptance.ts';
import type { PasskeySignIn } from './passkey-sign-in.ts';
import type { PasswordSignIn } from './password-sign-in.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import type { SignInLinks } from './sign-in-links.ts';
import type { UserSessions } from './user-sessions.ts';
import type { WayRemoval } from './way-removal.ts';

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
  /** If the operator has configured one. */
  readonly provider: ProviderSignIn | undefined;
}
