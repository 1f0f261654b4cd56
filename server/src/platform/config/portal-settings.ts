import { loopbackHosts } from '../../core/network/loopback-hosts.ts';
import { type EmailAddress, parseEmailAddress } from '../../core/identity/email-address.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { SmtpServer } from '../mail/smtp-config.ts';
import type { Setting } from './setting.ts';
import { parseSecret, parseText } from './setting-parsers.ts';

export const smtpUrl: Setting<SmtpServer> = {
  variable: 'STRONGROOM_SMTP_URL',
  expectation:
    'the mail server as smtps://user:password@host:465, or as smtp://… with STARTTLS; without encryption only on this machine',
  example: 'smtps://strongroom:secret@mail.example.com:465',
  parse: parseSmtpUrl,
};

export const mailFrom: Setting<EmailAddress> = {
  variable: 'STRONGROOM_MAIL_FROM',
  expectation: 'the address that mail is sent from',
  example: 'vault@example.com',
  parse: parseEmailAddress,
};

export const openidIssuer: Setting<string> = {
  variable: 'STRONGROOM_OPENID_ISSUER',
  expectation: 'the HTTPS address of the OpenID provider for signing in; HTTP only on this machine',
  example: 'https://login.example.com',
  parse: (text) => {
    if (!URL.canParse(text)) return undefined;
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || (protocol === 'http:' && loopbackHosts.includes(hostname)) ? text : undefined;
  },
};

export const openidClientId: Setting<string> = {
  variable: 'STRONGROOM_OPENID_CLIENT_ID',
  expectation: 'the client id of this vault at the provider',
  example: 'strongroom',
  parse: parseText,
};

export const openidClientSecret: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_OPENID_CLIENT_SECRET',
  expectation: 'the client secret from the provider',
  example: '$(cat client-secret)',
  parse: parseSecret,
};

export const openidName: Setting<string> = {
  variable: 'STRONGROOM_OPENID_NAME',
  expectation: 'the display name of the provider',
  example: 'Acme login',
  parse: parseText,
  fallback: 'single sign-on',
};

function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  const isTls = protocol === 'smtps:';
  if ((!isTls && protocol !== 'smtp:') || hostname === '' || !['', '/'].includes(pathname) || search !== '') {
    return undefined;
  }
  const user = decodeText(username);
  const secret = decodeText(password);
  if (user === undefined || secret === undefined || (user === '') !== (secret === '')) return undefined;
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    // Connections that stay on the machine need no encryption. All others do.
    encryption: isTls ? 'from-start' : loopbackHosts.includes(hostname) ? 'none' : 'starttls',
    login: user === '' ? undefined : { user, password: new Sensitive(secret) },
  };
}

function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
