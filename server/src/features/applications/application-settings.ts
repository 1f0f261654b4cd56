import { type ApplicationType, type Permission, permissionsOf } from '../../core/access/permission.ts';
import { toPermissionHint } from '../../http/parameters/access-rule-schemas.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { ApplicationSettings } from './application.ts';

const splitRule =
  'must be reveal in a rule that grants token:use, because token:use sends plaintext; to read masked or redacted data, grant token:use in a separate rule';

/**
 * Checks what the schema cannot check: that permissions match the type, and that the priorities of rules are unique.
 */
export function requireValidSettings(
  type: ApplicationType,
  settings: Pick<ApplicationSettings, 'permissions' | 'rules'> & Partial<ApplicationSettings>,
): void {
  const fields: Record<string, string[]> = {};
  const note = (path: string, message: string) => {
    (fields[path] ??= []).push(message);
  };

  // A public application may have no permissions: its sessions get their own.
  if (type !== 'public' && settings.permissions.length === 0 && settings.rules.length === 0)
    note('permissions', 'permissions and rules must not both be empty');
  const allowed: ReadonlySet<Permission> = new Set(permissionsOf(type));
  const misfits = (permissions: readonly Permission[]) => permissions.some((permission) => !allowed.has(permission));
  const message = toPermissionHint(type);
  if (misfits(settings.permissions)) note('permissions', message);

  const priorities = new Set<number>();
  settings.rules.forEach((rule, index) => {
    if (misfits(rule.permissions)) note(`rules.${index}.permissions`, message);
    if (rule.transform !== 'reveal' && rule.permissions.includes('token:use'))
      note(`rules.${index}.transform`, splitRule);
    if (priorities.has(rule.priority)) note(`rules.${index}.priority`, 'must be unique among the rules');
    priorities.add(rule.priority);
  });
  if (type !== 'private' && (settings.allowedDestinations ?? null) !== null)
    note('allowed_destinations', 'only a private application can have destinations');
  if (type !== 'public' && (settings.allowedOrigins ?? null) !== null)
    note('allowed_origins', 'only a public application can have origins');
  if (type !== 'management' && settings.grantLimit !== undefined)
    note('grant_limit', 'only a management application can have a grant_limit');
  if (Object.keys(fields).length > 0) {
    throw new DomainError('validation-failed', 'The request did not pass validation.', { fields });
  }
}
