import type { ElementOptions } from 'strongroom-elements';

/** Finds options whose content changed. Every render creates new objects, so identity is not enough. */
export function findChanged(before: ElementOptions, now: ElementOptions): ElementOptions {
  const old = new Map<string, unknown>(Object.entries(before));
  const current = new Map<string, unknown>(Object.entries(now));
  const names = [...new Set([...old.keys(), ...current.keys()])];
  const changed = names.filter((name) => print(old.get(name)) !== print(current.get(name)));
  return Object.fromEntries(changed.map((name) => [name, current.get(name)]));
}

function print(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member: unknown) => (member instanceof RegExp ? String(member) : member));
}
