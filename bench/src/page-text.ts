import type { Circumstances } from './results.ts';

export function describe({ recorded_at, processor, cores, memory_gb, node, postgres, load }: Circumstances): string {
  return `${recorded_at.slice(0, 10)}, ${cores} cores (${processor}), ${memory_gb} GB, Node ${node}, PostgreSQL ${postgres}; load ${load[0]} before and ${load[1]} after.`;
}

export function rate(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
