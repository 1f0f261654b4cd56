import type { Schemas } from '../../api/client';
import { roleNames } from '../../parts/role-names';

export type Member = Schemas['Member'];
export type Invitation = Schemas['Invitation'];

/** Returns the name of a role. The API may add roles that are not known here. */
export function nameOfRole(role: string): string {
  const names: Partial<Record<string, string>> = roleNames;
  return names[role] ?? role;
}

/** Descriptions of the roles, shown beside the selection. */
export const roleNotes: Readonly<Record<string, string>> = {
  OWNER: 'Everything that an admin can do. Only the owner hands the tenant over or deletes it.',
  ADMIN: 'Manages applications, keys, members and tokens.',
  READ_ONLY: 'Sees everything here, including the audit log, and changes nothing.',
};

const wayNames: Readonly<Record<string, string>> = {
  passkey: 'Passkey',
  password: 'Password',
  provider: 'Provider',
};

/** Returns the name that the member has chosen, or the address. */
export function nameOf({ user }: Member): string {
  const name = [user.first_name, user.last_name].filter((part) => part !== undefined && part !== '').join(' ');
  return name === '' ? (user.email ?? 'Member without an e-mail address') : name;
}

/** Returns name and address. Members choose their names, so a name alone does not say who is meant. */
export function describe(member: Member): string {
  const { email } = member.user;
  const name = nameOf(member);
  return email === undefined || email === name ? name : `${name} (${email})`;
}

export function nameOfWay(way: string): string {
  return wayNames[way] ?? way;
}
