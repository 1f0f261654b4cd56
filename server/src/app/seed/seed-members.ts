import { membersOf } from '../../core/objects/members-of.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { InvitationLinks, InvitationService } from '../../features/invitations/index.ts';
import { InvitationAcceptance, UserSessions } from '../../features/portal/index.ts';
import type { VaultCore } from '../wiring/vault-core.ts';
import type { SeedRunner } from './seed-runner.ts';

const invited = [
  { email: 'nadia.haddad@example.com', role: 'ADMIN' },
  { email: 'jonas.lindqvist@example.com', role: 'ADMIN' },
  { email: 'priya.rahman@example.com', role: 'READ_ONLY' },
] as const;
const pending = { email: 'emil.novak@example.com', role: 'READ_ONLY' } as const;
const minuteMs = 60_000;

/** Adds members, each through the link of an invitation. */
export async function seedMembers(
  core: VaultCore,
  runner: SeedRunner,
  { tenantId, startsAt }: { tenantId: string; startsAt: Date },
): Promise<void> {
  const { database, systemKeys, audit } = core;
  const links = new InvitationLinks({ systemKeys, publicUrl: '' });
  const invitations = new InvitationService({ database, audit, links });
  const sessions = new UserSessions({ database, systemKeys, audit });
  const acceptance = new InvitationAcceptance({ database, links, sessions });
  for (const [index, one] of invited.entries()) {
    const at = new Date(startsAt.getTime() + (20 + index) * minuteMs);
    const id = await invite(runner, at, one);
    const link = (await invitations.showLink(parseTenantId(tenantId), id)) ?? '';
    const origin = { requestId: runner.remember(new Date(at.getTime() + 30 * minuteMs)), sourceAddress: '192.0.2.10' };
    await acceptance.accept(link.slice(link.lastIndexOf('/') + 1), undefined, origin);
  }
}

/** Creates an invitation that is never accepted. */
export function invitePending(runner: SeedRunner, at: Date): Promise<string> {
  return invite(runner, at, pending);
}

async function invite(runner: SeedRunner, at: Date, body: object): Promise<string> {
  const request = { method: 'POST', path: '/tenants/self/invitations', body };
  return String(membersOf(await runner.manage(at, request, 201))['id']);
}
