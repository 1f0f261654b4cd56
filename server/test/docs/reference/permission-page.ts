import { permissionCatalog } from '../../../src/core/access/permission.ts';
import { keysOf } from '../../../src/core/objects/keys-of.ts';
import { rolePermissions } from '../../../src/features/members/index.ts';
import { operationsOf } from './api-operations.ts';
import { toCode, toPage, toParagraph, toTable } from './markdown.ts';

const roles = keysOf(rolePermissions);

export function toPermissionPage(document: unknown): string {
  return toPage('Permissions', [
    toParagraph(
      'An application has permissions as a plain list, or through access rules with a container and a transform. A plain permission covers every container and shows masked data; only a rule with the transform `reveal` shows plaintext. See [Containers and rules](../concepts/containers-and-rules.md). `POST /access/explain` says what a key may do and why.',
    ),
    toTable(
      ['Permission', 'What it allows', 'Types of application'],
      permissionCatalog.map(({ type, description, applicationTypes }) => [
        toCode(type),
        description,
        applicationTypes.join(', '),
      ]),
    ),
    toParagraph('Clients that send `proxy:invoke` get `token:use`.'),
    '## Endpoints by permission',
    toParagraph(
      '`POST /sessions` takes the key of a public application only, `POST /sessions/authorize` that of a private one. Rules can require more, for example on a container.',
    ),
    toTable(['Permission', 'Endpoints'], listNeeds(document)),
    '## Roles of members',
    toParagraph(
      'Members who are signed in to the portal have these permissions, without rules: what they see of tokens is masked.',
    ),
    toTable(
      ['Permission', ...roles.map(toCode)],
      permissionCatalog.map(({ type }) => [
        toCode(type),
        ...roles.map((role) => (rolePermissions[role].includes(type) ? 'yes' : '–')),
      ]),
    ),
  ]);
}

/** Lists each endpoint with every permission that it needs. */
function listNeeds(document: unknown): string[][] {
  const operations = operationsOf(document);
  const endpointsOf = (isMeant: (permissions: readonly string[]) => boolean) =>
    operations
      .filter(({ permissions }) => isMeant(permissions))
      .map(({ method, path }) => toCode(`${method} ${path}`))
      .join(', ');
  return [
    ...permissionCatalog.map(({ type }) => [toCode(type), endpointsOf((permissions) => permissions.includes(type))]),
    ['any valid key', endpointsOf((permissions) => permissions.length === 0)],
  ];
}
