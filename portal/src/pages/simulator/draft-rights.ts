import { type Rights, type Rule, transforms } from '../../parts/access/rights';

const storageKey = 'strongroom.simulator.draft';

const firstDraft: Rights = {
  permissions: [],
  rules: [{ description: '', priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] }],
};

/** Reads the draft of this tab. It is discarded with the tab, and nobody else sees it. */
export function readDraft(): Rights {
  try {
    return parseRights(JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')) ?? firstDraft;
  } catch {
    return firstDraft;
  }
}

export function keepDraft(rights: Rights): void {
  sessionStorage.setItem(storageKey, JSON.stringify(rights));
}

function parseRights(value: unknown): Rights | undefined {
  if (!isRecord(value) || !isTexts(value['permissions']) || !Array.isArray(value['rules'])) return undefined;
  const rules = value['rules'].map(parseRule);
  return rules.every((rule) => rule !== undefined) ? { permissions: value['permissions'], rules } : undefined;
}

function parseRule(value: unknown): Rule | undefined {
  if (!isRecord(value)) return undefined;
  const { description, priority, container, permissions } = value;
  const transform = transforms.find((one) => one === value['transform']);
  if (typeof priority !== 'number' || typeof container !== 'string' || transform === undefined) return undefined;
  if (typeof description !== 'string' || !isTexts(permissions)) return undefined;
  return { description, priority, container, transform, permissions };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
