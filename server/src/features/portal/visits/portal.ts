import type { ExportApprovals } from '../../exports/index.ts';
import type { ApprovalDecisions } from '../../approvals/index.ts';
import type { InvitationAcceptance } from '../people/invitation-acceptance.ts';
import type { PasskeySignIn } from '../ways/passkey-sign-in.ts';
import type { PasswordSignIn } from '../ways/password-sign-in.ts';
import type { ProviderSignIn } from '../ways/provider-sign-in.ts';
import type { RecoveryCodes } from '../ways/recovery-codes.ts';
import type { SignInLinks } from '../ways/sign-in-links.ts';
import type { PortalCookies } from './portal-cookies.ts';
import type { OwnSessions } from '../people/own-sessions.ts';
import type { UserSessions } from '../people/user-sessions.ts';
import type { AlertThresholds } from '../../../platform/audit/watch/alert-rule.ts';
import type { WayRemoval } from '../ways/way-removal.ts';

/** What a page of the portal knows about the vault that serves it. */
export interface PortalPlace {
  /** The URL of the documentation, with a slash at the end. Undefined if the operator has not set it. */
  readonly documentationUrl: string | undefined;
  /** False if the vault has no mail server. Members then pass on the links of invitations themselves. */
  readonly mailsInvitations: boolean;
  /** The origin of the card fields. Undefined if the vault serves none. */
  readonly elementsUrl: string | undefined;
  /** The thresholds for alerts in the settings of this server. */
  readonly alertThresholds: AlertThresholds;
  /** True in `strongroom dev`, which also serves pages for contributors. */
  readonly isDevelopment: boolean;
}

/** Everything that the portal pages use. */
export interface Portal {
  readonly publicUrl: string;
  readonly place: PortalPlace;
  readonly cookies: PortalCookies;
  readonly sessions: UserSessions;
  readonly ownSessions: OwnSessions;
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
