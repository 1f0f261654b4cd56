import type { SeededRandom } from './seeded-random.ts';

export const containers = ['/a/', '/a/b/', '/b/', '/c/'] as const;
const permissions = [
  'token:create',
  'token:read',
  'token:update',
  'token:delete',
  'token:search',
  'token:use',
] as const;

/** Returns the rights of a private application: plain permissions, rules, or both. */
export function randomRights(random: SeededRandom): {
  name: string;
  type: string;
  permissions: string[];
  rules: object[];
} {
  const plain = random.some(permissions, 0.3);
  const count = plain.length === 0 ? 1 + random.below(4) : random.below(5);
  const rules = Array.from({ length: count }, (_, priority) => randomRule(random, priority + 1));
  return { name: 'Seen', type: 'private', permissions: plain, rules };
}

function randomRule(random: SeededRandom, priority: number): object {
  const granted = random.some(permissions, 0.6);
  // A rule that allows use must reveal.
  const transform = granted.includes('token:use') ? 'reveal' : random.pick(['redact', 'mask', 'reveal']);
  return {
    description: `rule ${priority}`,
    priority,
    container: random.pick(['/', ...containers]),
    transform,
    permissions: granted.length === 0 ? ['token:read'] : granted,
  };
}
