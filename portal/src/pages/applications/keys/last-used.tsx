import { Time } from '../../../parts/show/time';
import type { UsedKey } from './key-calls';

export function LastUsed({ used: { last_used_at: at } }: { readonly used: UsedKey }) {
  if (at === undefined) return '-';
  return at === null ? 'never' : <Time at={at} form="ago" />;
}
