import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const rule = (container: string, transform: string, ...permissions: string[]) => ({
  container,
  transform,
  permissions,
});
type Rule = Record<string, unknown>;
interface Rights {
  readonly permissions?: readonly string[];
  readonly rules?: readonly Rule[];
}
const inOrder = ({ permissions = [], rules = [] }: Rights) => ({
  permissions,
  rules: rules.map((one, priority) => ({ priority, ...one })),
});

async function authorize(held: Rights, wanted: Rights) {
  const { key } = await createApplication(vault, tenant, inOrder(held));
  const session = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  const { nonce, session_key } = session.body as { nonce: string; session_key: string };
  const answer = await vault.request('POST', '/sessions/authorize', { key, body: { nonce, ...inOrder(wanted) } });
  return { answer, nonce, session_key };
}

const plain = { permissions: ['token:create', 'token:read'] };
const cards = { rules: [rule('/pci/', 'mask', 'token:read')] };
const mixed = { rules: [rule('/pci/', 'mask', 'token:read'), rule('/', 'reveal', 'token:read')] };
const withId = (value: string) => ({
  transform: 'mask',
  permissions: ['token:read'],
  conditions: [{ attribute: 'id', operator: 'equals', value }],
});

describe('POST /sessions/authorize', () => {
  it.each<[string, Rights, Rights]>([
    ['the same plain permissions', plain, plain],
    ['one of the plain permissions', plain, { permissions: ['token:read'] }],
    ['a masking rule within plain permissions', plain, { rules: [rule('/a/', 'mask', 'token:create')] }],
    ['a redacting rule within plain permissions', plain, { rules: [rule('/', 'redact', 'token:read')] }],
    ['the same rule', cards, cards],
    ['a container below', cards, { rules: [rule('/pci/high/', 'mask', 'token:read')] }],
    ['a lesser transform', cards, { rules: [rule('/pci/', 'redact', 'token:read')] }],
    ['several rules in the same order', mixed, mixed],
    ['a token by its id, within plain permissions', plain, { rules: [withId('named-by-id')] }],
    ['token:use, plain', { permissions: ['token:use'] }, { permissions: ['token:use'] }],
    ['token:use under its other name', { permissions: ['proxy:invoke'] }, { permissions: ['proxy:invoke'] }],
    ['plaintext to use, plain', { permissions: ['token:use'] }, { rules: [rule('/pci/', 'reveal', 'token:use')] }],
  ])('200 gives %s', async (_name, held, wanted) => {
    expect((await authorize(held, wanted)).answer).toMatchObject({ status: 200, text: '' });
  });

  it.each<[string, Rights, Rights, string]>([
    ['a permission', plain, { permissions: ['token:delete'] }, 'Missing permission: token:delete.'],
    [
      'a permission in a rule',
      cards,
      { rules: [rule('/pci/', 'mask', 'token:read', 'token:search')] },
      'Missing permission: token:search.',
    ],
    [
      'a container beside',
      cards,
      { rules: [rule('/pii/', 'mask', 'token:read')] },
      'Missing permission: token:read on container /pii/.',
    ],
    [
      'a container above',
      cards,
      { rules: [rule('/', 'mask', 'token:read')] },
      'Missing permission: token:read on container /.',
    ],
    ['everything', cards, { permissions: ['token:read'] }, 'Missing permission: token:read on container /.'],
    [
      'a token by its id',
      cards,
      { rules: [withId('named-by-id')] },
      'Missing permission: token:read on tokens referenced by id.',
    ],
    [
      'a transform',
      cards,
      { rules: [rule('/pci/high/', 'reveal', 'token:read')] },
      'Missing transform: reveal for token:read on container /pci/high/. The authorizing application has mask on container /pci/.',
    ],
    [
      'plaintext of a plain permission',
      plain,
      { rules: [rule('/pci/', 'reveal', 'token:read')] },
      'Missing transform: reveal for token:read on container /pci/.',
    ],
    [
      'more of tokens that are in two containers',
      mixed,
      { rules: [rule('/pii/', 'reveal', 'token:read')] },
      'A token can be in several containers',
    ],
  ])('403 names %s that the authorizer lacks, and the nonce stays usable', async (_name, held, wanted, detail) => {
    const { answer, nonce, session_key } = await authorize(held, wanted);
    expect(answer.status).toBe(403);
    expect((answer.body as { detail: string }).detail).toContain(detail);
    expect(answer.text).not.toContain('named-by-id');
    expect((await vault.request('GET', '/tokens', { key: session_key })).status).toBe(403);
    const body = { nonce, permissions: ['token:create'] };
    expect((await vault.request('POST', '/sessions/authorize', { key: tenant.keys.private, body })).status).toBe(200);
  });

  it('403 leaves a record of the attempt', async () => {
    const before = (await vault.auditRecords(tenant.id)).length;
    await authorize(plain, { permissions: ['token:delete'] });
    const records = (await vault.auditRecords(tenant.id)).slice(before);
    expect(records).toContainEqual(expect.objectContaining({ entity_type: 'session', outcome: 'denied' }));
  });
});
