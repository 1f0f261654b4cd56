import type { AccessRule } from './access-rule.ts';
import { rootContainer } from './container.ts';
import { toRules } from './decide-access.ts';
import type { Permission } from './permission.ts';

/**
 * Returns true if an application can both fingerprint values of its choice and read masked tokens. If masked views show
 * fingerprints, that is enough to find masked values by trial.
 */
export function canGuessMasked(application: {
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
}): boolean {
  const rules = toRules(application.permissions, application.rules);
  const writes = (['token:create', 'token:update'] as const).some(
    (permission) => deciding(rules, permission).length > 0,
  );
  const masked = (['token:read', 'token:search'] as const).some((permission) =>
    deciding(rules, permission).some(({ transform }) => transform === 'mask'),
  );
  return writes && masked;
}

/** Returns the rules that can decide for some token. Rules after one on the root never apply. */
function deciding(rules: readonly AccessRule[], permission: Permission): readonly AccessRule[] {
  const granting = rules.filter((rule) => rule.permissions.includes(permission));
  const last = granting.findIndex(({ container }) => container === rootContainer);
  return last === -1 ? granting : granting.slice(0, last + 1);
}
