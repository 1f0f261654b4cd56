import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MailServer, type ReceivedMail } from '../../server/test/harness/mail-server.ts';

/**
 * A mail server whose mails can be read from another process, because the process that starts vaults is not the one
 * that runs tests.
 */
export class Mailbox {
  readonly #mailServer: MailServer;
  readonly #reader: Server;

  static async start(): Promise<Mailbox> {
    const mailServer = await MailServer.start();
    const reader = createServer((_request, response) => response.end(JSON.stringify(mailServer.mails)));
    reader.listen(0, '127.0.0.1');
    await once(reader, 'listening');
    return new Mailbox(mailServer, reader);
  }

  private constructor(mailServer: MailServer, reader: Server) {
    this.#mailServer = mailServer;
    this.#reader = reader;
  }

  /** The URL that returns all mails. */
  get url(): string {
    return `http://127.0.0.1:${(this.#reader.address() as AddressInfo).port}`;
  }

  /** The settings that make a vault send its mail here. */
  get settings(): Readonly<Record<string, string>> {
    return {
      STRONGROOM_SMTP_URL: `smtp://127.0.0.1:${this.#mailServer.port}`,
      STRONGROOM_MAIL_FROM: 'vault@example.com',
    };
  }

  async stop(): Promise<void> {
    this.#reader.close();
    this.#reader.closeAllConnections();
    await this.#mailServer.stop();
  }
}

export async function readMails(url: string): Promise<ReceivedMail[]> {
  return (await (await fetch(url)).json()) as ReceivedMail[];
}
