import type { SmtpConfig } from '../mail/smtp-config.ts';
import type { OpenidConfig } from '../outbound/openid-provider.ts';
import * as portal from './portal-settings.ts';
import { allOf, required, whereSet } from './reading.ts';

/** Reads the OpenID provider for signing in to the portal, if there is one. */
export const openid = whereSet(
  portal.openidIssuer,
  allOf<OpenidConfig>({
    issuer: required(portal.openidIssuer),
    clientId: required(portal.openidClientId),
    clientSecret: required(portal.openidClientSecret),
    name: required(portal.openidName),
  }),
);

/** Reads the mail server, if there is one. */
export const smtp = whereSet(
  portal.smtpUrl,
  allOf<SmtpConfig>({ server: required(portal.smtpUrl), from: required(portal.mailFrom) }),
);
