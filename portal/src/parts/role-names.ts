import type { Role } from '../api/me';

export const roleNames: Readonly<Record<Role, string>> = { OWNER: 'Owner', ADMIN: 'Admin', READ_ONLY: 'Read only' };
