import { canGuessMasked } from '../../../core/access/guessing.ts';
import { type Affected, affectedMax, type FactDefinition, type Observation } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Sight, SightWay } from '../../../core/sight/sight.ts';
import { counted } from '../../../core/text/counted.ts';
import { ApplicationStore } from '../../../features/applications/index.ts';
import { type Onlookers, WhoService } from '../../../features/explain/index.ts';
import { readTenantSettings } from '../../../features/tenants/index.ts';
import { TokenStore, unlimitedSets } from '../../../features/tokens/index.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type AccessCounts, countAccess } from './access-store.ts';
import { countedRows, type EvidenceReading, type FactGroup, type Observations, readOnVault } from './fact-group.ts';

const direct: FactDefinition = {
  id: 'plaintext-access',
  row: 'masked-display',
  foundBy:
    'the rights of every application, live session, member and invitation, as `strongroom audit who` reports them',
  proof: readOnVault,
  figure: { applications: 'sum', sessions: 'sum', members: 'sum', invitations: 'sum' },
  holds: ({ applications = 0, sessions = 0, members = 0, invitations = 0 }) =>
    `With a permission or rule for plaintext: ${counted(applications, 'application')} and ${counted(sessions, 'live session')}. ${counted(members, 'member')} may approve exports, and ${counted(invitations, 'open invitation')} would allow it. Whether each of them needs it is for people to decide.`,
};

const indirect: FactDefinition = {
  id: 'indirect-access',
  row: 'access-by-need',
  foundBy:
    'applications without a rule for plaintext that can define masks, hand out rights or add members; the last two only where no second person approves',
  proof: readOnVault,
  figure: { applications: 'sum' },
  weight: 'attention',
  holds: () => 'No application has a roundabout way to plaintext that nobody approves.',
  found: ({ applications = 0 }) =>
    `With a roundabout way to plaintext that nobody approves: ${counted(applications, 'application')}.`,
  remedy:
    'give them rules in place of a plain token:update, a grant limit, or turn on approve_plaintext (docs/guides/approve-plaintext.md)',
};

const guessing: FactDefinition = {
  id: 'guessing',
  row: 'keyed-hashes',
  foundBy: 'applications that can both fingerprint values of their choice and see the fingerprints of masked tokens',
  proof: readOnVault,
  figure: { applications: 'sum' },
  weight: 'attention',
  holds: () => 'No application can find masked values by comparing fingerprints.',
  found: ({ applications = 0 }) =>
    `Able to find masked values by comparing fingerprints: ${counted(applications, 'application')}.`,
  remedy: 'set fingerprint_visibility to "reveal", or use separate applications for writing and reading',
};

const approval: FactDefinition = {
  id: 'approval',
  row: 'approval',
  foundBy: 'the setting approve_plaintext of production tenants',
  proof: readOnVault,
  figure: { production_tenants: 'sum' },
  weight: 'attention',
  holds: ({ production_tenants: tenants = 0 }) =>
    `Changes that widen access to plaintext need a second person in every production tenant, of which there are ${tenants.toLocaleString('en')}.`,
  found: (_figure, affected) =>
    `One person alone can widen access to plaintext in ${counted(affected, 'production tenant')}.`,
  remedy: 'set approve_plaintext to "true" (docs/guides/approve-plaintext.md)',
};

const decisions: FactDefinition = {
  id: 'approvals-decided',
  row: 'approval',
  foundBy: 'requests for approval that were decided in the period',
  proof: readOnVault,
  figure: { approved: 'sum', refused: 'sum', lapsed: 'sum' },
  holds: ({ approved = 0, refused = 0, lapsed = 0 }) =>
    `Changes that a second person approved in the period: ${approved.toLocaleString('en')}; refused: ${refused.toLocaleString('en')}; lapsed: ${lapsed.toLocaleString('en')}.`,
};

const exported: FactDefinition = {
  id: 'exports',
  row: 'queries',
  foundBy: 'exports of plaintext that were started in the period, with the approvals that each has',
  proof: readOnVault,
  figure: { exports: 'sum', tokens: 'sum', unapproved: 'sum' },
  weight: 'fails',
  holds: ({ exports = 0, tokens = 0 }) =>
    `Exports of plaintext in the period: ${exports.toLocaleString('en')}, with ${counted(tokens, 'token')}, each with the approvals that it needed.`,
  found: ({ unapproved = 0 }) =>
    `Exports of plaintext in the period without the approvals that they needed: ${unapproved.toLocaleString('en')}.`,
  remedy: 'find out who ran them: the vault starts no such export, so somebody has written to the database',
};

const origins: FactDefinition = {
  id: 'any-page',
  row: 'page-scripts',
  foundBy: 'public applications without allowed_origins',
  proof: readOnVault,
  figure: { applications: 'sum' },
  weight: 'attention',
  holds: () => 'Every public application names the pages that may use its keys.',
  found: ({ applications = 0 }) =>
    `Usable from any page of the web: the keys of ${counted(applications, 'public application')}.`,
  remedy: 'set allowed_origins of these applications',
};

const destinations: FactDefinition = {
  id: 'any-destination',
  row: 'access-by-need',
  foundBy: 'applications that may use tokens in proxy calls and list no destinations',
  proof: readOnVault,
  figure: { applications: 'sum' },
  weight: 'attention',
  holds: () => 'Every application that may send plaintext lists the destinations.',
  found: ({ applications = 0 }) =>
    `Able to send plaintext to any public host: ${counted(applications, 'application')}.`,
  remedy: 'set allowed_destinations of these applications',
};

const proxies: FactDefinition = {
  id: 'open-proxies',
  row: 'access-by-need',
  foundBy:
    'stored proxies that demand no key, no network of a usual size (at least /8, or /16 for IPv6) and no proof of the caller',
  proof: readOnVault,
  figure: { proxies: 'sum' },
  weight: 'attention',
  holds: () => 'Every stored proxy demands a key, a network or a proof of its caller.',
  found: ({ proxies: count = 0 }) =>
    `Open to everyone who knows the address: ${counted(count, 'stored proxy', 'stored proxies')}.`,
  remedy: 'set require_auth, allowed_sources or a caller check (docs/guides/receive-cards.md)',
};

/** Access to plaintext: by whom, in which ways, and with whose approval. */
export const accessFacts: FactGroup = {
  name: 'access',
  facts: [direct, indirect, guessing, approval, decisions, exported, origins, destinations, proxies],
  readTenant: async (reading, tenantId) => {
    const counts = await reading.database.forTenant(tenantId, (tx) => countAccess(tx, tenantId, reading.period));
    return {
      ...(await readSights(reading, tenantId, counts.demandsApproval)),
      [guessing.id]: await readGuessing(reading.database, tenantId),
      ...toObservations(tenantId, counts),
    };
  },
};

function toObservations(tenantId: TenantId, counts: AccessCounts): Observations {
  const { isProduction, demandsApproval, approved, refused, lapsed } = counts;
  const listed = (kind: string, ids: readonly string[], total: number, name: string): Observation => ({
    figure: { [name]: total },
    affected: ids.map((id) => ({ tenantId, kind, id })),
    affectedTotal: total,
  });
  return {
    [approval.id]: countedRows(
      tenantId,
      { production_tenants: isProduction ? 1 : 0 },
      isProduction && !demandsApproval ? 1 : 0,
    ),
    [decisions.id]: countedRows(tenantId, { approved, refused, lapsed }, 0),
    [exported.id]: {
      figure: { exports: counts.exports, tokens: counts.exportedTokens, unapproved: counts.unapproved.length },
      affected: counts.unapproved.map((id) => ({ tenantId, kind: 'export', id })),
    },
    [origins.id]: listed('application', counts.anyPage, counts.anyPageTotal, 'applications'),
    [destinations.id]: listed('application', counts.anyDestination, counts.anyDestinationTotal, 'applications'),
    [proxies.id]: listed('stored proxy', counts.openProxies, counts.openProxiesTotal, 'proxies'),
  };
}

const approvable: ReadonlySet<SightWay> = new Set<SightWay>(['handing-out-rights', 'making-members']);
const roundabout: ReadonlySet<SightWay> = new Set<SightWay>([...approvable, 'authoring-views']);

/** Goes through everybody with rights, a page at a time, and keeps counts and a limited list. */
async function readSights(
  { database }: EvidenceReading,
  tenantId: TenantId,
  isApproved: boolean,
): Promise<Observations> {
  const who = new WhoService({ database, tokens: new TokenStore(database, unlimitedSets) });
  const figure = { applications: 0, sessions: 0, members: 0, invitations: 0 };
  const seeing: Affected[] = [];
  const around: Affected[] = [];
  let aroundTotal = 0;
  let after: Onlookers['next'];
  do {
    const part = await who.find(tenantId, 'system', { target: { container: '/' }, after });
    after = part.next;
    for (const { id, ...sight } of part.applications) {
      const isDirect = sees(sight, (way) => !roundabout.has(way));
      if (isDirect) {
        figure.applications += 1;
        if (seeing.length < affectedMax) seeing.push({ tenantId, kind: 'application', id });
      }
      const isAround = sees(sight, (way) =>
        approvable.has(way) ? !isApproved : way === 'authoring-views' && !isDirect,
      );
      if (!isAround) continue;
      aroundTotal += 1;
      if (around.length < affectedMax) around.push({ tenantId, kind: 'application', id });
    }
    for (const { id, transform } of part.sessions) {
      if (transform !== 'reveal') continue;
      figure.sessions += 1;
      if (seeing.length < affectedMax) seeing.push({ tenantId, kind: 'session', id });
    }
    figure.members += part.members.filter(({ transform }) => transform === 'reveal').length;
    figure.invitations += part.invitations.filter(({ transform }) => transform === 'reveal').length;
  } while (after !== undefined);
  return {
    [direct.id]: { figure, affected: seeing, affectedTotal: figure.applications + figure.sessions },
    [indirect.id]: { figure: { applications: aroundTotal }, affected: around, affectedTotal: aroundTotal },
  };
}

function sees({ ways }: Sight, isMeant: (way: SightWay) => boolean): boolean {
  return ways.some(({ way, transform }) => transform === 'reveal' && isMeant(way));
}

const applicationsPerRead = 1_000;

async function readGuessing(database: Database, tenantId: TenantId): Promise<Observation> {
  const { fingerprintVisibility } = await readTenantSettings(database, tenantId);
  const affected: Affected[] = [];
  let total = 0;
  for (let after: string | undefined, isMore = fingerprintVisibility !== 'reveal'; isMore; ) {
    const page = { type: 'private', after, limit: applicationsPerRead } as const;
    const read = await database.forTenant(tenantId, (tx) => new ApplicationStore(tx, tenantId).listUsable(page));
    for (const { id } of read.filter(canGuessMasked)) {
      total += 1;
      if (affected.length < affectedMax) affected.push({ tenantId, kind: 'application', id });
    }
    after = read.at(-1)?.id;
    isMore = read.length === applicationsPerRead;
  }
  return { figure: { applications: total }, affected, affectedTotal: total };
}
