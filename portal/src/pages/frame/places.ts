import type { LinkProps } from '@tanstack/react-router';

interface Place {
  readonly label: string;
  readonly to: NonNullable<LinkProps['to']>;
  /** The key that opens the page after `g` was pressed. */
  readonly key: string;
}

/** The pages in the navigation, in display order. */
export const places: readonly { readonly group: string; readonly items: readonly Place[] }[] = [
  {
    group: 'Vault',
    items: [
      { label: 'Overview', to: '/', key: 'o' },
      { label: 'Tokens', to: '/tokens', key: 't' },
      { label: 'Audit log', to: '/audit', key: 'l' },
    ],
  },
  {
    group: 'Access',
    items: [
      { label: 'Applications', to: '/applications', key: 'a' },
      { label: 'Sessions', to: '/sessions', key: 'e' },
      { label: 'Simulator', to: '/simulator', key: 's' },
      { label: 'Members', to: '/members', key: 'm' },
    ],
  },
  { group: 'Operations', items: [{ label: 'Encryption keys', to: '/encryption-keys', key: 'k' }] },
];
