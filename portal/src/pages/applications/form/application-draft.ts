import type { Application, ApplicationType } from '../../../api/applications';
import type { Schemas } from '../../../api/client';
import { toLocalTime } from '../../../parts/show/local-time';
import { noRights, type Rights, toRights, type Transform } from '../../../parts/access/rights';

/** The settings of an application as they are being edited. */
export interface ApplicationDraft {
  readonly name: string;
  readonly type: ApplicationType;
  readonly rights: Rights;
  /** The time in the format of a `datetime-local` input. Empty if the application never expires. */
  readonly expiresAt: string;
  /** True if the proxy may only call the listed hosts. */
  readonly hasDestinations: boolean;
  /** One host per line. */
  readonly destinations: string;
  /** True if only pages of the listed origins may use the keys. */
  readonly hasOrigins: boolean;
  /** One origin per line. */
  readonly origins: string;
  readonly grantLimit: GrantLimitDraft | undefined;
}

export interface DraftEditor {
  readonly draft: ApplicationDraft;
  readonly onChange: (draft: ApplicationDraft) => void;
  readonly error: Error | null;
  /** True for an application that does not exist yet. A list that is asked for must not stay empty then. */
  readonly isNew?: boolean;
}

export interface GrantLimitDraft {
  readonly permissions: readonly string[];
  /** One container per line. */
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
  hasOrigins: false,
  origins: '',
  grantLimit: undefined,
};

export const firstGrantLimit: GrantLimitDraft = { permissions: [], containers: '/', transform: 'mask' };

export function toDraft(application: Application): ApplicationDraft {
  const { name, type, expires_at: expiresAt, grant_limit: limit } = application;
  const { allowed_destinations: destinations, allowed_origins: origins } = application;
  return {
    name,
    type,
    rights: toRights(application),
    expiresAt: expiresAt === undefined ? '' : toLocalTime(new Date(expiresAt)),
    hasDestinations: destinations !== undefined,
    destinations: destinations?.join('\n') ?? '',
    hasOrigins: origins !== undefined,
    origins: origins?.join('\n') ?? '',
    grantLimit: limit === undefined ? undefined : { ...limit, containers: limit.containers.join('\n') },
  };
}

/** Returns the settings to save, without those that the type cannot have. */
export function toSettings(draft: ApplicationDraft): Schemas['UpdateApplicationRequest'] {
  const { name, type, rights, expiresAt, hasDestinations, destinations, hasOrigins, origins, grantLimit } = draft;
  return {
    name,
    permissions: [...rights.permissions],
    rules: rights.rules.map((rule) => ({ ...rule, description: rule.description || null })),
    ...(expiresAt === '' ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    ...(type === 'private' && hasDestinations ? { allowed_destinations: toLines(destinations) } : {}),
    ...(type === 'public' && hasOrigins ? { allowed_origins: toLines(origins) } : {}),
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

/** Changes the type of a draft and removes permissions that the new type cannot have. */
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
