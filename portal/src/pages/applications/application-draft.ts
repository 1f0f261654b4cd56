import type { Application, ApplicationType } from '../../api/applications';
import type { Schemas } from '../../api/client';
import { noRights, type Rights, toRights, type Transform } from '../../parts/access/rights';

/** The settings of an application as they are being edited. */
export interface ApplicationDraft {
  readonly name: string;
  readonly type: ApplicationType;
  readonly rights: Rights;
  /** As an input for local times has it; empty for never. */
  readonly expiresAt: string;
  /** Whether the proxy calls only the listed hosts. */
  readonly hasDestinations: boolean;
  /** A host a line. */
  readonly destinations: string;
  readonly grantLimit: GrantLimitDraft | undefined;
}

export interface GrantLimitDraft {
  readonly permissions: readonly string[];
  /** A container a line. */
  readonly containers: string;
  readonly transform: Transform;
}

export const emptyDraft: ApplicationDraft = {
  name: '',
  type: 'private',
  rights: noRights,
  expiresAt: '',
  hasDestinations: false,
  destinations: '',
  grantLimit: undefined,
};

export const firstGrantLimit: GrantLimitDraft = { permissions: [], containers: '/', transform: 'mask' };

export function toDraft(application: Application): ApplicationDraft {
  const { name, type, expires_at: expiresAt, allowed_destinations: destinations, grant_limit: limit } = application;
  return {
    name,
    type,
    rights: toRights(application),
    expiresAt: expiresAt === undefined ? '' : toLocalText(new Date(expiresAt)),
    hasDestinations: destinations !== undefined,
    destinations: destinations?.join('\n') ?? '',
    grantLimit: limit === undefined ? undefined : { ...limit, containers: limit.containers.join('\n') },
  };
}

/** Everything that the type can have; what it cannot have is left out. */
export function toSettings(draft: ApplicationDraft): Schemas['UpdateApplicationRequest'] {
  const { name, type, rights, expiresAt, hasDestinations, destinations, grantLimit } = draft;
  return {
    name,
    permissions: [...rights.permissions],
    rules: rights.rules.map((rule) => ({ ...rule, description: rule.description || null })),
    ...(expiresAt === '' ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    ...(type === 'private' && hasDestinations ? { allowed_destinations: toLines(destinations) } : {}),
    ...(type === 'management' && grantLimit !== undefined
      ? {
          grant_limit: {
            permissions: [...grantLimit.permissions],
            containers: toLines(grantLimit.containers),
            transform: grantLimit.transform,
          },
        }
      : {}),
  };
}

/** The draft after its type was changed: without permissions that the new type cannot have. */
export function withType(
  draft: ApplicationDraft,
  type: ApplicationType,
  offered: ReadonlySet<string>,
): ApplicationDraft {
  const { permissions, rules } = draft.rights;
  const fits = (permission: string) => offered.has(permission);
  return {
    ...draft,
    type,
    rights: {
      permissions: permissions.filter(fits),
      rules: rules
        .map((rule) => ({ ...rule, permissions: rule.permissions.filter(fits) }))
        .filter((rule) => rule.permissions.length > 0),
    },
  };
}

function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The local time of a date, as `datetime-local` has it. */
function toLocalText(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
