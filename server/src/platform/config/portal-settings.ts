import { parseEmailAddress } from '../../core/identity/email-address.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { loopbackHosts } from '../../core/network/loopback-hosts.ts';
import type { SmtpConfig, SmtpServer } from '../mail/smtp-config.ts';
import type { OpenidConfig } from '../outbound/openid-config.ts';
import { chosen, group, isConfigured, optional, setting, settingWithDefault, type ValueOf } from './reading.ts';
import { publicUrl } from './server-settings.ts';
import { parseJoiningRules } from './joining-rules.ts';
import { isProtected, parsePercentEncoded, parseSecret, parseText, textLike, urlWhere } from './setting-parsers.ts';

/** Scopes (RFC 6749 §3.3), the first of which makes it OpenID Connect. */
const scopesForm = /^openid(?: [\x21\x23-\x5b\x5d-\x7e]{1,100}){0,20}$/;

/** The OpenID provider for signing in to the portal, if there is one. */
export const openid = optional(
  group<OpenidConfig>({
    issuer: setting('STRONGROOM_OPENID_ISSUER', urlWhere(isProtected), {
      expectation: 'the HTTPS address of the OpenID provider for signing in; HTTP only on this machine',
      example: 'https://login.example.com',
    }),
    clientId: setting('STRONGROOM_OPENID_CLIENT_ID', parseText, {
      expectation: 'the client id of this vault at the provider',
      example: 'strongroom',
    }),
    clientSecret: setting('STRONGROOM_OPENID_CLIENT_SECRET', parseSecret, {
      expectation: 'the client secret from the provider',
      example: '$(cat client-secret)',
    }),
    name: settingWithDefault('STRONGROOM_OPENID_NAME', parseText, 'single sign-on', {
      expectation: 'the display name of the provider',
      example: 'Acme login',
    }),
    scopes: settingWithDefault('STRONGROOM_OPENID_SCOPES', textLike(scopesForm), 'openid email', {
      expectation:
        'the scopes to ask for, separated by spaces; some providers send groups only for a scope of their own',
      example: 'openid email groups',
    }),
    groupsClaim: settingWithDefault('STRONGROOM_OPENID_GROUPS_CLAIM', parseText, 'groups', {
      expectation: 'the claim of the ID token with the groups of a user',
      example: 'roles',
    }),
    members: settingWithDefault('STRONGROOM_OPENID_MEMBERS', parseJoiningRules, [], {
      expectation:
        'a JSON object with the id of each tenant that people join when they first sign in: {"domains": […], "roles": {"<group>": "ADMIN" or "READ_ONLY"}}; the group * stands for everybody; a domain belongs to one tenant',
      purpose:
        'who becomes a member of which tenant at the first sign-in: domains of verified e-mail addresses, and the role of each group, as a JSON object by tenant id',
      example: '{"<tenant id>":{"domains":["acme.example"],"roles":{"vault-admins":"ADMIN","*":"READ_ONLY"}}}',
      otherwise: 'nobody: members are invited',
    }),
  }),
);

const sender = setting('STRONGROOM_MAIL_FROM', parseEmailAddress, {
  expectation: 'the address that mail is sent from',
  example: 'vault@example.com',
});

/**
 * The address that the worker sends mail from. A server that knows it does not show members the links that are mailed.
 */
export const mailFrom = optional(sender);

/** The mail server, if there is one. */
export const smtp = optional(
  group<SmtpConfig>({
    server: setting('STRONGROOM_SMTP_URL', parseSmtpUrl, {
      expectation:
        'the mail server as smtps://user:password@host:465, or as smtp://… with STARTTLS; without encryption only on this machine',
      example: 'smtps://strongroom:secret@mail.example.com:465',
    }),
    from: sender,
  }),
);

/** Settings for sending invitations. The public address is required only if links are mailed. */
export const mail = group({
  publicUrl: chosen([publicUrl], (environment) => (isConfigured(smtp, environment) ? publicUrl : optional(publicUrl))),
  smtp,
});
export type MailConfig = ValueOf<typeof mail>;

function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  const isTls = protocol === 'smtps:';
  if ((!isTls && protocol !== 'smtp:') || hostname === '' || !['', '/'].includes(pathname) || search !== '') {
    return undefined;
  }
  const user = parsePercentEncoded(username);
  const secret = parsePercentEncoded(password);
  if (user === undefined || secret === undefined || (user === '') !== (secret === '')) return undefined;
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    // Connections that stay on the machine need no encryption. All others do.
    encryption: isTls ? 'from-start' : loopbackHosts.includes(hostname) ? 'none' : 'starttls',
    login: user === '' ? undefined : { user, password: new Sensitive(secret) },
  };
}
