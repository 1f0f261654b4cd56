import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { membersOf } from '../../core/objects/members-of.ts';
import type { EmailAddress } from '../../core/identity/email-address.ts';
import type { SmtpConfig } from './smtp-config.ts';

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Thrown if the server permanently rejects mail for this mailbox, so that a retry is pointless. */
export class MailRefusedError extends Error {
  constructor(cause: unknown) {
    super('The mail server rejected the message permanently.', { cause });
    this.name = 'MailRefusedError';
  }
}

/** Thrown if the letter was withdrawn and there is nothing left to send. */
class LetterWithdrawn extends Error {}

export interface MailTimeouts {
  readonly stepMs: number;
  readonly wholeMs: number;
}

const defaultTimeouts: MailTimeouts = { stepMs: 15_000, wholeMs: 60_000 };

/** Sends messages to the operator's mail server, one connection per message. */
export class Mailer {
  readonly #config: SmtpConfig;
  readonly #timeouts: MailTimeouts;

  constructor(config: SmtpConfig, timeouts = defaultTimeouts) {
    this.#config = config;
    this.#timeouts = timeouts;
  }

  /**
   * Sends a message. `write` is called when the server is ready for the text, and may then return undefined if there is
   * nothing left to send. If the server takes a minute to be ready, it must not receive a letter that was withdrawn in
   * the meantime. Nothing is delivered in that case, because the server discards a message without its end marker (RFC
   * 5321 §4.1.1.4).
   */
  async send(to: EmailAddress, write: () => Promise<Letter | undefined>): Promise<'sent' | 'withdrawn'> {
    const connection = await this.#createConnection();
    const { promise: failure, reject } = Promise.withResolvers<never>();
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('The mail server closed the connection.')));
    const timer = setTimeout(
      () => reject(new Error('The mail server did not respond in time.')),
      this.#timeouts.wholeMs,
    );
    try {
      return await Promise.race([this.#converse(connection, to, write), failure]);
    } finally {
      clearTimeout(timer);
      // Errors of an abandoned connection do not matter.
      failure.catch(() => undefined);
      connection.close();
    }
  }

  async #converse(
    connection: SMTPConnection,
    to: EmailAddress,
    write: () => Promise<Letter | undefined>,
  ): Promise<'sent' | 'withdrawn'> {
    const { server, from } = this.#config;
    await finished((done) => connection.connect(done));
    const { login } = server;
    if (login !== undefined) {
      const credentials = { user: login.user, pass: login.password.reveal() };
      await finished((done) => connection.login({ credentials }, done));
    }
    const message = Readable.from(compose({ from, to, write }), { objectMode: false });
    try {
      await finished((done) => connection.send({ from, to: [to] }, message, done));
      return 'sent';
    } catch (error) {
      if (message.errored instanceof LetterWithdrawn) return 'withdrawn';
      throw isRefusal(error) ? new MailRefusedError(error) : error;
    }
  }

  /** Loads the package for the first message. A vault that sends none does not need it. */
  async #createConnection(): Promise<SMTPConnection> {
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    const { host, port, encryption } = this.#config.server;
    const { stepMs } = this.#timeouts;
    return new Connection({
      host,
      port,
      secure: encryption === 'from-start',
      requireTLS: encryption === 'starttls',
      ignoreTLS: encryption === 'none',
      name: this.#config.from.slice(this.#config.from.indexOf('@') + 1),
      connectionTimeout: stepMs,
      greetingTimeout: stepMs,
      dnsTimeout: stepMs,
      socketTimeout: stepMs,
      tls: { minVersion: 'TLSv1.2' },
      logger: false,
    });
  }
}

/** Composes the message when its first byte is requested. */
async function* compose(parts: {
  from: EmailAddress;
  to: EmailAddress;
  write: () => Promise<Letter | undefined>;
}): AsyncGenerator<Buffer> {
  const letter = await parts.write();
  if (letter === undefined) throw new LetterWithdrawn();
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const message = new MailComposer({
    // Addresses are objects, because a string would be parsed and could turn into more than one address.
    from: { name: 'Strongroom', address: parts.from },
    to: { name: '', address: parts.to },
    subject: letter.subject,
    text: letter.text,
    html: letter.html,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  yield await message.compile().build();
}

/**
 * Returns true for a permanent rejection. A reply code that starts with 5 is permanent if it concerns the envelope or
 * the message (RFC 5321 §4.2.1), but a rejected login can be corrected.
 */
function isRefusal(error: unknown): boolean {
  const { responseCode, command } = membersOf(error);
  if (typeof responseCode !== 'number') return false;
  return responseCode >= 500 && responseCode !== 503 && (command === 'RCPT TO' || command === 'DATA');
}

function finished(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}
