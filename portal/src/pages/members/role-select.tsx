import type { Role } from '../../api/me';
import { roleNames } from '../../parts/role-names';

export const memberRoles = ['OWNER', 'ADMIN', 'READ_ONLY'] as const;
export const invitedRoles = ['ADMIN', 'READ_ONLY'] as const;

export function RoleSelect<Offered extends Role>(select: {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly roles: readonly Offered[];
  readonly value: Offered;
  readonly onChange: (role: Offered) => void;
}) {
  return (
    <select
      id={select.id}
      aria-describedby={select['aria-describedby']}
      value={select.value}
      onChange={(event) => {
        const chosen = select.roles.find((role) => role === event.target.value);
        if (chosen !== undefined) select.onChange(chosen);
      }}
    >
      {select.roles.map((role) => (
        <option key={role} value={role}>
          {roleNames[role]}
        </option>
      ))}
    </select>
  );
}
