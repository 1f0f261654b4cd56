import { readFileSync } from 'node:fs';
import { Html } from './html.ts';

/** The icons of server-rendered pages. The portal has its own, from the same set. */
const names = [
  'app-window',
  'arrow-left',
  'bell',
  'building-2',
  'check',
  'circle-alert',
  'clipboard-check',
  'copy',
  'credit-card',
  'download',
  'fingerprint',
  'flask-conical',
  'key-round',
  'layout-dashboard',
  'list-checks',
  'log-in',
  'mail',
  'menu',
  'monitor-smartphone',
  'scroll-text',
  'search',
  'sliders-horizontal',
  'smartphone',
  'timer',
  'user-round',
  'users',
  'webhook',
] as const;
export type IconName = (typeof names)[number];

const icons = new Map<IconName, Html>(names.map((name) => [name, readIcon(name)]));

/** Returns an icon that decorates the words beside it. */
export function icon(name: IconName): Html {
  return icons.get(name) ?? new Html('');
}

/** Reads the lines of an icon. `assets/` is next to `src/` and `dist/`, so the same path works for both. */
function readIcon(name: IconName): Html {
  const file = readFileSync(new URL(`../../../assets/vendor/lucide/${name}.svg`, import.meta.url), 'utf8');
  const [, lines = ''] = /<svg[^>]*>([^]*)<\/svg>/.exec(file) ?? [];
  const text = lines.replaceAll(/\s*\n\s*/g, '');
  return new Html(
    `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${text}</svg>`,
  );
}
