import { type ApplicationType, type Permission, permissionsOf } from '../../core/access/permission.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { ApplicationSettings } from './application.ts';

/** Checks what the shape of a request cannot say: that the rights fit the type, and that rules have an order. */
export function requireValidSettings(
  type: ApplicationType,
  settings: Pick<ApplicationSettings, 'permissions' | 'rules'> & Partial<ApplicationSettings>,
): void {
  const fields: Record<string, string[]> = {};
  const note = (path: string, message: string) => {
    (fields[path] ??= []).push(message);
  };

  if (settings.permissions.length === 0 && settings.rules.length === 0)
    note('permissions', 'permissions or rules must not be empty');
  const allowed: ReadonlySet<Permission> = new Set(permissionsOf(type));
  const misfits = (permissions: readonly Permission[]) => permissions.some((permission) => !allowed.has(permission));
  const message = `must be permissions that a ${type} application can hold`;
  if (misfits(settings.permissions)) note('permissions', message);

  const priorities = new Set<number>();
  settings.rules.forEach((rule, index) => {
    if (misfits(rule.permissions)) note(`rules.${index}.permissions`, message);
    if (priorities.has(rule.priority)) note(`rules.${index}.priority`, 'must be unique among the rules');
    priorities.add(rule.priority);
  });
  if (type !== 'private' && (settings.allowedDestinations ?? null) !== null)
    note('allowed_destinations', 'only a private application calls destinations');
  if (Object.keys(fields).length > 0) {
    throw new DomainError('validation-failed', 'The request did not pass validation.', { fields });
  }
}
