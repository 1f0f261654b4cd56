import type { EmailAddress } from '../../core/identity/email-address.ts';
import type { Sensitive } from '../../core/identity/sensitive.ts';

/** The mail server that the operator configured. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * When encryption starts: with the connection, or by STARTTLS before anything else is sent. `none` is only for a
   * server on this machine.
   */
  readonly encryption: 'from-start' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: Sensitive<string> } | undefined;
}

export interface SmtpConfig {
  readonly server: SmtpServer;
  readonly from: EmailAddress;
}
