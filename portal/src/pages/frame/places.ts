import type { LinkProps } from '@tanstack/react-router';
import {
  AppWindow,
  Bell,
  ClipboardCheck,
  CreditCard,
  Download,
  FlaskConical,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  LogIn,
  MonitorSmartphone,
  ScrollText,
  SlidersHorizontal,
  Timer,
  Users,
  Webhook,
} from 'lucide-react';
import type { Shape } from '../../parts/icon';

export interface Place {
  readonly label: string;
  readonly to: NonNullable<LinkProps['to']>;
  readonly icon: Shape;
  /** The key that opens the page after `g` was pressed. */
  readonly key: string;
}

/** A page that the vault renders, in the same frame. */
export interface RenderedPlace {
  readonly label: string;
  readonly href: string;
  readonly icon: Shape;
}

/**
 * The pages in the navigation, in display order. The vault has the same list for the pages that it renders, in
 * `server/src/features/portal/frame/places.ts`.
 */
export const places: readonly {
  readonly group: string;
  readonly items: readonly Place[];
  readonly rendered?: readonly RenderedPlace[];
}[] = [
  {
    group: 'Vault',
    items: [
      { label: 'Overview', to: '/', icon: LayoutDashboard, key: 'o' },
      { label: 'Tokens', to: '/tokens', icon: CreditCard, key: 't' },
      { label: 'Alerts', to: '/alerts', icon: Bell, key: 'n' },
      { label: 'Audit log', to: '/audit', icon: ScrollText, key: 'l' },
    ],
  },
  {
    group: 'Access',
    items: [
      { label: 'Applications', to: '/applications', icon: AppWindow, key: 'a' },
      { label: 'Routes', to: '/routes', icon: LogIn, key: 'r' },
      { label: 'Sessions', to: '/sessions', icon: MonitorSmartphone, key: 'e' },
      { label: 'Simulator', to: '/simulator', icon: FlaskConical, key: 's' },
      { label: 'Members', to: '/members', icon: Users, key: 'm' },
    ],
  },
  {
    group: 'Operations',
    items: [
      { label: 'Webhooks', to: '/webhooks', icon: Webhook, key: 'w' },
      { label: 'Retention', to: '/retention', icon: Timer, key: 'd' },
      { label: 'Encryption keys', to: '/encryption-keys', icon: KeyRound, key: 'k' },
      { label: 'Background jobs', to: '/jobs', icon: ListChecks, key: 'j' },
      { label: 'Settings', to: '/settings', icon: SlidersHorizontal, key: 'p' },
    ],
    rendered: [
      { label: 'Approvals', href: '/portal/approvals', icon: ClipboardCheck },
      { label: 'Exports', href: '/portal/exports', icon: Download },
    ],
  },
];

export const allPlaces: readonly Place[] = places.flatMap(({ items }) => items);
