import type { EmailAddress } from '../../core/identity/email-address.ts';
import type { Sensitive } from '../../core/identity/sensitive.ts';

/** The mail server that the operator configured. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * The encryption: from the start, by STARTTLS before anything else is sent, or none, which is only for a server on
   * this machine.
   */
  readonly encryption: 'from-start' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: Sensitive<string> } | undefined;
}

export interface SmtpConfig {
  readonly server: SmtpServer;
  readonly from: EmailAddress;
}
