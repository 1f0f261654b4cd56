/** The destination of the payments application in a seeded tenant. It represents a payment provider. */
export const acquirerHost = 'api.acquirer.example';

export const seedApplicationNames = [
  'Payments',
  'Checkout',
  'Checkout backend',
  'Support desk',
  'Analytics',
  'Fraud review',
  'CRM sync',
  'Auditor',
] as const;
export type SeedApplicationName = (typeof seedApplicationNames)[number];

const rule = (
  priority: number,
  description: string,
  grant: { readonly container: string; readonly transform: string; readonly permissions: readonly string[] },
) => ({ priority, description, ...grant });

/** The request body that creates each application. Each application sees only as much as its work needs. */
export const seedApplications: Readonly<Record<SeedApplicationName, object>> = {
  Payments: {
    type: 'private',
    rules: [
      rule(1, 'Charge cards and accounts', { container: '/pci/', transform: 'reveal', permissions: ['token:use'] }),
      rule(2, 'Debit accounts', { container: '/bank/', transform: 'reveal', permissions: ['token:use'] }),
      rule(3, 'Show the last four digits', { container: '/pci/', transform: 'mask', permissions: ['token:read'] }),
    ],
    allowed_destinations: [acquirerHost],
  },
  Checkout: { type: 'public', permissions: ['token:create'] },
  'Checkout backend': {
    type: 'private',
    rules: [
      rule(1, 'Authorize sessions of browsers', {
        container: '/pci/',
        transform: 'mask',
        permissions: ['token:create', 'token:read'],
      }),
      rule(2, 'Store bank accounts', { container: '/bank/', transform: 'mask', permissions: ['token:create'] }),
    ],
  },
  'Support desk': {
    type: 'private',
    rules: [
      rule(1, 'Find and see customers, masked', {
        container: '/',
        transform: 'mask',
        permissions: ['token:read', 'token:search'],
      }),
    ],
  },
  Analytics: {
    type: 'private',
    rules: [
      rule(1, 'Count tokens without their data', { container: '/', transform: 'redact', permissions: ['token:read'] }),
    ],
  },
  'Fraud review': {
    type: 'private',
    rules: [
      rule(1, 'See whole card numbers', { container: '/pci/', transform: 'reveal', permissions: ['token:read'] }),
      rule(2, 'See people, masked', { container: '/pii/', transform: 'mask', permissions: ['token:read'] }),
    ],
  },
  'CRM sync': {
    type: 'private',
    rules: [
      rule(1, 'Keep people up to date', {
        container: '/pii/',
        transform: 'mask',
        permissions: ['token:create', 'token:read', 'token:update', 'token:delete'],
      }),
    ],
  },
  Auditor: { type: 'management', permissions: ['log:read', 'report:read', 'application:read'] },
};
