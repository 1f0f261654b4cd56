import type { GroundFinding } from './ground-finding.ts';

export function hidden(name: string): GroundFinding {
  return { name, verdict: 'unknown', detail: 'PostgreSQL does not show this setting here; ask who runs it' };
}
