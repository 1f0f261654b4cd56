import type { FastifyInstance } from 'fastify';
import { addBackgroundJobRoute, BackgroundJobs } from '../../features/background-jobs/index.ts';
import { ExportApprovals } from '../../features/exports/index.ts';
import { addPassedOnLinkRoute, InvitationLinks, PassedOnLinks } from '../../features/invitations/index.ts';
import { addAlertRoutes, AlertAcknowledgements } from '../../features/logs/index.ts';
import {
  addMemberScope,
  addPortalRoutes,
  createPortalCookies,
  callbackPath,
  Ceremonies,
  InvitationAcceptance,
  OwnSessions,
  PasskeySignIn,
  PasswordSignIn,
  type PortalPlace,
  ProviderJoining,
  ProviderSignIn,
  RecoveryCodes,
  SignInAttempts,
  SignInLinks,
  UserSessions,
  WayAdmission,
  WayRemoval,
} from '../../features/portal/index.ts';
import { addReachedLimitRoute, ReachedLimits } from '../../features/reached-limits/index.ts';
import { addTenantRestoreRoute, TenantDeletion } from '../../features/tenants/index.ts';
import { Passkeys } from '../../platform/keyring/sign-in/passkeys.ts';
import type { PasswordHasher } from '../../platform/keyring/sign-in/password-hasher.ts';
import type { OpenidConfig } from '../../platform/outbound/openid-config.ts';
import { OpenidProvider } from '../../platform/outbound/openid-provider.ts';
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts';
import { createApprovals } from './approval-wiring.ts';
import type { VaultCore } from './vault-core.ts';

/** Builds everything for signing in and adds the routes of the portal. */
export function addAllPortalRoutes(
  edge: FastifyInstance,
  parts: {
    core: VaultCore;
    publicUrl: string;
    openid: OpenidConfig | undefined;
    place: PortalPlace;
    passwordHasher: PasswordHasher;
    limiter: RateLimiter;
    addMemberRoutes: (scope: FastifyInstance) => void;
  },
): void {
  const { publicUrl, openid, place, passwordHasher: hasher, limiter } = parts;
  const { database, systemKeys, audit } = parts.core;
  const sessions = new UserSessions({ database, systemKeys, audit });
  const ceremonies = new Ceremonies({ database, systemKeys });
  const attempts = new SignInAttempts({ database, systemKeys });
  const recoveryCodes = new RecoveryCodes({ database, systemKeys });
  const links = new InvitationLinks({ systemKeys, publicUrl });
  const admission = new WayAdmission({ issuer: openid?.issuer });
  const cookies = createPortalCookies(publicUrl, place);
  const provider = openid === undefined ? undefined : new OpenidProvider(openid, `${publicUrl}${callbackPath}`);

  addMemberScope(edge, { publicUrl, place, cookies, sessions }, (scope) => {
    parts.addMemberRoutes(scope);
    addTenantRestoreRoute(scope, new TenantDeletion(database));
    addBackgroundJobRoute(scope, new BackgroundJobs({ database, audit }));
    addReachedLimitRoute(scope, new ReachedLimits({ database, audit, limiter }));
    addAlertRoutes(scope, new AlertAcknowledgements(database));
    addPassedOnLinkRoute(scope, new PassedOnLinks({ database, links, ...place }));
  });
  addPortalRoutes(edge, {
    publicUrl,
    place,
    cookies,
    sessions,
    ownSessions: new OwnSessions({ database, audit }),
    links: new SignInLinks({ database, systemKeys }),
    exports: new ExportApprovals(database),
    approvals: createApprovals(parts.core, publicUrl),
    acceptance: new InvitationAcceptance({ database, links, sessions }),
    passwords: new PasswordSignIn({
      database,
      systemKeys,
      hasher,
      attempts,
      ceremonies,
      sessions,
      recoveryCodes,
      admission,
    }),
    recoveryCodes,
    wayRemoval: new WayRemoval({ database, issuer: provider?.issuer }),
    passkeys: new PasskeySignIn({ database, passkeys: new Passkeys(publicUrl), ceremonies, sessions, admission }),
    provider:
      provider === undefined
        ? undefined
        : new ProviderSignIn({
            database,
            provider,
            ceremonies,
            admission,
            joining: new ProviderJoining({ database, rules: openid?.members ?? [] }),
          }),
  });
}
