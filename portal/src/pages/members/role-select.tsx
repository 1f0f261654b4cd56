import { roleNames } from './member-view';

export type MemberRole = 'OWNER' | 'ADMIN' | 'READ_ONLY';
export const memberRoles = ['OWNER', 'ADMIN', 'READ_ONLY'] as const;
export const invitedRoles = ['ADMIN', 'READ_ONLY'] as const;

/** A choice of roles. */
export function RoleSelect<Role extends MemberRole>(select: {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly roles: readonly Role[];
  readonly value: Role;
  readonly onChange: (role: Role) => void;
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
