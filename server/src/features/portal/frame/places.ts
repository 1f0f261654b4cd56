import type { IconName } from '../../../http/pages/icon.ts';

interface Place {
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
}

/**
 * The pages in the navigation, in display order. The portal has the same list for its own pages, in
 * `portal/src/pages/frame/places.ts`.
 */
export const places: readonly { readonly group: string; readonly items: readonly Place[] }[] = [
  {
    group: 'Vault',
    items: [
      { label: 'Overview', path: '/portal/', icon: 'layout-dashboard' },
      { label: 'Tokens', path: '/portal/tokens', icon: 'credit-card' },
      { label: 'Alerts', path: '/portal/alerts', icon: 'bell' },
      { label: 'Audit log', path: '/portal/audit', icon: 'scroll-text' },
    ],
  },
  {
    group: 'Access',
    items: [
      { label: 'Applications', path: '/portal/applications', icon: 'app-window' },
      { label: 'Routes', path: '/portal/routes', icon: 'log-in' },
      { label: 'Sessions', path: '/portal/sessions', icon: 'monitor-smartphone' },
      { label: 'Simulator', path: '/portal/simulator', icon: 'flask-conical' },
      { label: 'Members', path: '/portal/members', icon: 'users' },
    ],
  },
  {
    group: 'Operations',
    items: [
      { label: 'Webhooks', path: '/portal/webhooks', icon: 'webhook' },
      { label: 'Retention', path: '/portal/retention', icon: 'timer' },
      { label: 'Encryption keys', path: '/portal/encryption-keys', icon: 'key-round' },
      { label: 'Background jobs', path: '/portal/jobs', icon: 'list-checks' },
      { label: 'Settings', path: '/portal/settings', icon: 'sliders-horizontal' },
      { label: 'Approvals', path: '/portal/approvals', icon: 'clipboard-check' },
      { label: 'Exports', path: '/portal/exports', icon: 'download' },
    ],
  },
];
