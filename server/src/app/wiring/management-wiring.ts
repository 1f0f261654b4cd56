import type { FastifyInstance } from 'fastify';
import {
  addApplicationKeyRoutes,
  addApplicationRoutes,
  addCatalogRoutes,
  ApplicationKeyService,
  ApplicationService,
} from '../../features/applications/index.ts';
import { addClientKeyRoutes, ClientKeyService } from '../../features/client-keys/index.ts';
import { addExposureRoutes } from '../../features/exposure/index.ts';
import { addInvitationRoutes, InvitationLinks, InvitationService } from '../../features/invitations/index.ts';
import { addEncryptionKeyRoutes, EncryptionKeyService } from '../../features/keys/index.ts';
import {
  addLogCountRoutes,
  addLogProofRoutes,
  addLogRoutes,
  addLogSealRoutes,
  LogCounts,
  LogProofs,
  LogSeals,
  LogService,
} from '../../features/logs/index.ts';
import { addMemberRoutes, MemberService } from '../../features/members/index.ts';
import { addPreviewRoutes } from '../../features/proxy/index.ts';
import {
  addErasureRoutes,
  addLegalHoldRoutes,
  addRetentionRuleRoutes,
  ErasureReceipts,
  ErasureService,
  LegalHoldService,
  RetentionRuleService,
} from '../../features/retention/index.ts';
import { addStoredProxyRoutes, DestinationCheck, StoredProxyService } from '../../features/stored-proxies/index.ts';
import { addSessionListRoutes, SessionRegister } from '../../features/sessions/index.ts';
import {
  addFailedJobRoutes,
  addTenantRoutes,
  FailedJobs,
  TenantDeletion,
  TenantService,
} from '../../features/tenants/index.ts';
import { sumTokenCounts } from '../../features/tokens/index.ts';
import {
  addDeliveryRoutes,
  addWebhookRoutes,
  DeliveryService,
  WebhookService,
  WebhookUrlCheck,
} from '../../features/webhooks/index.ts';
import { auditKeyVersion } from '../../platform/audit/seal/checkpoint.ts';
import { LogReader } from '../../platform/audit/verify/log-reader.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Clock } from '../../platform/waiting/time-budget.ts';
import { sealedTables } from './sealed-tables.ts';
import type { VaultCore } from './vault-core.ts';

/** Builds the services that manage a tenant. Their routes are added for keys and for signed-in members. */
export function createManagementRoutes(
  core: VaultCore,
  { publicUrl, clock, outbound }: { readonly publicUrl: string; readonly clock: Clock; readonly outbound: Outbound },
): (scope: FastifyInstance) => void {
  const { database, audit, apiKeyMaker, systemKeys, rootKeys, keyring } = core;
  const tenants = new TenantService({ database, audit });
  const applications = new ApplicationService({ database, audit, apiKeyMaker });
  const keys = new ApplicationKeyService({ database, audit, apiKeyMaker });
  const logs = new LogService({ database, audit, clock });
  const counts = new LogCounts({ database, clock });
  const { publicKey } = systemKeys.auditSigner();
  const reader = new LogReader(database, 'one tenant');
  const proofs = new LogProofs({ reader, audit, publicKey });
  const publicKeys = [{ version: auditKeyVersion, publicKey }];
  const seals = new LogSeals({ database, reader, publicKeys, clock });
  const encryptionKeys = new EncryptionKeyService({
    database,
    audit,
    rootKeys,
    keyring,
    sources: sealedTables.map(({ name }) => name),
    estimateRows: sumTokenCounts,
  });
  const members = new MemberService({ database, audit });
  const links = new InvitationLinks({ systemKeys, publicUrl });
  const invitations = new InvitationService({ database, audit, links });
  const webhooks = new WebhookService({ database, audit, keyring, urls: new WebhookUrlCheck(outbound) });
  const destinations = new DestinationCheck(outbound);
  const proxies = new StoredProxyService({ database, audit, keyring, destinations });
  const rules = new RetentionRuleService({ database, audit });
  const erasures = new ErasureService({ database, audit, keyring });
  const receipts = new ErasureReceipts({ database, reader, erasures });
  const holds = new LegalHoldService({ database, audit, keyring });
  const deliveries = new DeliveryService({ database, audit });
  return (scope) => {
    addTenantRoutes(scope, { tenants, deletion: new TenantDeletion(database) });
    addApplicationRoutes(scope, applications);
    addApplicationKeyRoutes(scope, keys);
    addSessionListRoutes(scope, new SessionRegister(core));
    addCatalogRoutes(scope);
    addLogRoutes(scope, logs);
    addLogCountRoutes(scope, { counts, logs });
    addLogProofRoutes(scope, proofs);
    addLogSealRoutes(scope, { seals, logs });
    addExposureRoutes(scope, logs);
    addEncryptionKeyRoutes(scope, encryptionKeys);
    addFailedJobRoutes(scope, new FailedJobs({ database, audit }));
    addClientKeyRoutes(scope, new ClientKeyService(core));
    addRetentionRuleRoutes(scope, rules);
    addLegalHoldRoutes(scope, holds);
    addErasureRoutes(scope, { erasures, receipts });
    addMemberRoutes(scope, members);
    addInvitationRoutes(scope, invitations);
    addStoredProxyRoutes(scope, proxies);
    addPreviewRoutes(scope);
    addWebhookRoutes(scope, webhooks);
    addDeliveryRoutes(scope, { webhooks, deliveries });
  };
}
