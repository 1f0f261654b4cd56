import { toCanonicalRights } from '../../core/rights-change/rights-difference.ts';
import { widensPlaintext } from '../../core/rights-change/widens-plaintext.ts';
import type { Caller } from '../../core/identity/caller.ts';
import { toRightsDetails } from '../../platform/audit/record/change-details.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { type ApprovalRequest, ApprovalStore, requestApproval } from '../approvals/index.ts';
import type { Application } from './application.ts';
import type { StoredSettings } from './application-store.ts';

/** Removes the rights from the settings, for an application whose rights have yet to be approved. */
export function withoutRights(settings: StoredSettings): StoredSettings {
  return { ...settings, permissions: [], rules: [], grantLimit: null };
}

/** Returns true if owners and admins have to approve the settings before they take effect. */
export async function needsApproval(
  tx: Transaction,
  { tenantId }: Caller,
  { before, after }: { before: Application | undefined; after: StoredSettings & Pick<Application, 'type'> },
): Promise<boolean> {
  return widensPlaintext(before, after) && (await new ApprovalStore(tx, tenantId).isDemanded());
}

export function requestChange(
  tx: Transaction,
  caller: Caller,
  { application, wanted }: { application: Application; wanted: StoredSettings },
): Promise<ApprovalRequest> {
  const { type } = application;
  const details = toRightsDetails(application, { type, ...wanted });
  const basis = toCanonicalRights(application);
  return requestApproval(tx, caller, {
    kind: 'application',
    subjectId: application.id,
    change: toChange(wanted),
    basis,
    details,
  });
}

/**
 * Returns the application as callers see it. A new application has the rights that were requested for it; an existing
 * one has the rights in force, even if others are pending.
 */
export function toShown(application: Application, request: ApprovalRequest | undefined): Application {
  if (!application.awaitsApproval || request?.status !== 'pending') return application;
  const { permissions, rules, grantLimit } = parseChange(request);
  return { ...application, permissions, rules, grantLimit };
}

/**
 * Returns a new application with its requested rights. A caller that manages it is checked against those, because it
 * has no rights yet.
 */
export async function withPendingRights(tx: Transaction, application: Application): Promise<Application> {
  if (!application.awaitsApproval) return application;
  const [request] = await new ApprovalStore(tx, application.tenantId).listLatest([application.id]);
  return toShown(application, request);
}

function toChange({ expiresAt, ...settings }: StoredSettings): object {
  const { name, permissions, rules, allowedDestinations, allowedOrigins, grantLimit } = settings;
  const end = expiresAt === null ? null : expiresAt.toISOString();
  return { name, permissions, rules, allowedDestinations, allowedOrigins, grantLimit, expiresAt: end };
}

export function parseChange({ change }: ApprovalRequest): StoredSettings {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `toChange`, and nothing can change it.
  const { expiresAt, ...settings } = change as Omit<StoredSettings, 'expiresAt'> & { expiresAt: string | null };
  return { ...settings, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}
