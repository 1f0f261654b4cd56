import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { EmailAddress } from '../../src/core/identity/email-address.ts';
import { parseEmailAddress } from '../../src/core/identity/email-address.ts';
import type { SmtpConfig } from '../../src/platform/mail/smtp-config.ts';

/** A mail as received, with the recipients of the envelope and every byte of the text. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

type Hooks = Pick<SMTPServerOptions, 'onConnect' | 'onMailFrom' | 'onRcptTo' | 'disabledCommands' | 'secure'>;

/** A real SMTP server on loopback that a test can make slow, forgetful or hostile. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  readonly #server: SMTPServer;
  readonly #port: number;

  static async start(hooks: Hooks = {}, port = 0): Promise<MailServer> {
    const mails: ReceivedMail[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      closeTimeout: 200,
      ...hooks,
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', () => undefined);
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString('utf8'),
          });
          done();
        });
      },
    });
    server.on('error', () => undefined);
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    return new MailServer(server, mails);
  }

  private constructor(server: SMTPServer, mails: ReceivedMail[]) {
    this.#server = server;
    this.mails = mails;
    this.#port = (server.server.address() as AddressInfo).port;
  }

  get port(): number {
    return this.#port;
  }

  get config(): SmtpConfig {
    return smtpConfigFor(this.#port);
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

export function smtpConfigFor(port: number): SmtpConfig {
  return {
    server: { host: '127.0.0.1', port, encryption: 'none', login: undefined },
    from: addressOf('vault@strongroom.example'),
  };
}

export function addressOf(text: string): EmailAddress {
  const address = parseEmailAddress(text);
  if (address === undefined) throw new Error(`${text} is no address.`);
  return address;
}

export function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Returns the link in the text part of an invitation. */
export function linkIn({ raw }: ReceivedMail): string {
  const text = raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  const [link] = /https?:\/\/\S+\/portal\/invitations\/\S+/.exec(text) ?? [];
  if (link === undefined) throw new Error('The mail has no link.');
  return link;
}
