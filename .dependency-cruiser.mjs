// Who may import whom. Each rule carries the reason that a contributor sees when the build stops.
const tests = '\\.test\\.ts$';
const core = '^server/src/core/';

/** A module that only the named places may import. */
const only = (name, comment, modules, places) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^server/src/', pathNot: [tests, ...places] },
  to: { path: modules },
});

export const options = {
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^server/dist/' },
  parser: 'swc',
  tsPreCompilationDeps: true,
  enhancedResolveOptions: {
    extensions: ['.ts', '.js', '.mjs', '.json'],
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default', 'types'],
  },
};

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle cannot be read top to bottom.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-is-pure',
      comment: 'core contains pure rules. It does no I/O and imports neither a framework nor a floor above it.',
      severity: 'error',
      from: { path: core, pathNot: tests },
      to: { pathNot: [core, 'node_modules/typebox/'] },
    },
    {
      name: 'platform-below-features',
      comment: 'platform may know tenants and the outside world, but no feature and not the edge.',
      severity: 'error',
      from: { path: '^server/src/platform/' },
      to: { path: '^server/src/(features|http|app|cli)/' },
    },
    {
      name: 'http-below-features',
      comment: 'The edge serves all features and must not depend on any of them.',
      severity: 'error',
      from: { path: '^server/src/http/', pathNot: tests },
      to: { path: '^server/src/(features|app|cli)/' },
    },
    {
      name: 'features-below-app',
      comment: 'app composes the features. Features must not import app.',
      severity: 'error',
      from: { path: '^server/src/features/', pathNot: tests },
      to: { path: '^server/src/(app|cli)/' },
    },
    {
      name: 'app-below-cli',
      comment: 'Commands use app. app must not import commands.',
      severity: 'error',
      from: { path: '^server/src/app/' },
      to: { path: '^server/src/cli/' },
    },
    {
      name: 'commands-load-on-demand',
      comment: 'Help and errors in arguments must appear at once, so a command loads its code only when it runs.',
      severity: 'error',
      from: { path: '^server/src/cli/', pathNot: tests },
      to: {
        path: '^server/src/(app|features|http|platform/(?!config/))',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'features-meet-at-the-index',
      comment: 'A feature imports another feature only through its index.ts.',
      severity: 'error',
      from: { path: '^server/src/features/([^/]+)/', pathNot: tests },
      to: {
        path: '^server/src/features/([^/]+)/',
        pathNot: ['^server/src/features/$1/', '^server/src/features/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'parts-of-tokens-meet-at-the-index',
      comment: 'Parts of tokens import each other only through index.ts. All of them may import model.',
      severity: 'error',
      from: { path: '^server/src/features/tokens/([^/]+)/', pathNot: tests },
      to: {
        path: '^server/src/features/tokens/',
        pathNot: [
          '^server/src/features/tokens/$1/',
          '^server/src/features/tokens/model/',
          '^server/src/features/tokens/(intents|read|write|query|tokenize|upkeep)/index\\.ts$',
        ],
      },
    },
    {
      name: 'the-model-of-tokens-knows-no-part',
      comment: 'model defines what a token is and how it is stored. It must not import the parts that use it.',
      severity: 'error',
      from: { path: '^server/src/features/tokens/model/', pathNot: tests },
      to: { path: '^server/src/features/tokens/', pathNot: '^server/src/features/tokens/model/' },
    },
    {
      name: 'tests-stay-out-of-the-product',
      comment: 'The product must not import test files or the harness.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: tests },
      to: { path: ['^server/test/', tests] },
    },
    {
      name: 'suites-see-a-vault-from-outside',
      comment: 'The conformance suites may only know what a client knows. Their harness starts vaults.',
      severity: 'error',
      from: { path: '^conformance/(clients|api|elements|pages)/' },
      to: { path: '^server/src/' },
    },
    {
      name: 'the-api-suite-knows-no-client',
      comment: 'Tests of the API with fetch must not depend on a client library.',
      severity: 'error',
      from: { path: '^conformance/api/' },
      to: { path: ['@basis-theory/', '^conformance/harness/(node-clients|browser-client)\\.ts$'], reachable: true },
    },
    {
      name: 'the-portal-shares-core-only',
      comment: 'The portal runs in a browser, so it may only import pure code of the server.',
      severity: 'error',
      from: { path: '^portal/src/' },
      to: { path: '^server/', pathNot: '^server/src/core/' },
    },
    {
      name: 'parts-of-the-portal-know-no-page',
      comment: 'Parts serve all pages, so they must not import a page.',
      severity: 'error',
      from: { path: '^portal/src/(api|charts|parts|proof)/' },
      to: { path: '^portal/src/pages/' },
    },
    {
      name: 'pages-of-the-portal-stand-alone',
      comment: 'Pages do not import each other. Code that two pages need belongs to parts.',
      severity: 'error',
      from: { path: '^portal/src/pages/([^/]+)/' },
      to: { path: '^portal/src/pages/', pathNot: '^portal/src/pages/$1/' },
    },
    {
      name: 'elements-share-core-only',
      comment: 'Card fields run in a browser, so they may only import pure code of the server.',
      severity: 'error',
      from: { path: '^elements/', pathNot: String.raw`\.test\.ts$` },
      to: { path: '^server/', pathNot: '^server/src/core/' },
    },
    {
      name: 'card-fields-bring-no-package',
      comment:
        'Code that runs in the same document as a card number has no dependencies, so that all of it can be reviewed.',
      severity: 'error',
      from: { path: '^elements/(client|frames|protocol|cards)/', pathNot: String.raw`\.test\.ts$` },
      to: { path: 'node_modules' },
    },
    {
      name: 'page-and-frames-meet-in-the-protocol',
      comment: 'Code in the page of a shop and code in a frame of the vault share only messages.',
      severity: 'error',
      from: { path: '^elements/(client|wrappers|react|vue|svelte)/' },
      to: { path: '^elements/frames/' },
    },
    {
      name: 'field-and-controller-meet-in-messages',
      comment: 'Fields and controller are separate documents. They exchange values only in messages.',
      severity: 'error',
      from: { path: '^elements/frames/(field|controller)/' },
      to: { path: '^elements/frames/(field|controller)/', pathNot: '^elements/frames/$1/' },
    },
    {
      name: 'frames-know-no-client',
      comment: 'A frame of the vault must not run code that is meant for pages.',
      severity: 'error',
      from: { path: '^elements/(frames|protocol|cards)/' },
      to: { path: '^elements/(client|wrappers|react|vue|svelte)/' },
    },
    {
      name: 'nothing-depends-on-the-suites',
      comment: 'Published clients are only for tests and are not part of the product.',
      severity: 'error',
      from: { path: '^server/' },
      to: { path: ['^conformance/', '@basis-theory/'] },
    },
    only(
      'fastify-at-the-edge',
      'Only the edge, routes and the composition root know the web framework.',
      'node_modules/(fastify|@fastify)/',
      ['^server/src/http/', '-routes\\.ts$', '^server/src/app/'],
    ),
    only('sql-in-stores', 'SQL lives in stores and in the platform rooms that own tables.', 'node_modules/pg/', [
      '^server/src/platform/(database|audit|keyring|jobs|local-postgres)/',
      '-store\\.ts$',
    ]),
    only('environment-in-config', 'The environment is read in one place.', '^(node:)?process$', [
      '^server/src/platform/config/',
    ]),
    only('cryptography-in-the-keyring', 'An auditor opens one folder to see all cryptography.', '^(node:)?crypto$', [
      '^server/src/platform/keyring/',
    ]),
    only(
      'egress-in-one-place',
      'Sockets, DNS and HTTP clients are opened in platform rooms made for it.',
      '^(node:)?(net|tls|dns|dns/promises|http|https|http2|dgram)$',
      ['^server/src/platform/(outbound|mail|local-postgres|loopback|ingress)/'],
    ),
    only('redis-for-limits', 'Redis counts requests and holds nothing else.', 'node_modules/ioredis/', [
      '^server/src/platform/rate-limit/',
    ]),
    only(
      'providers-in-outbound',
      'OpenID providers are asked from the room for outbound calls.',
      'node_modules/openid-client/',
      ['^server/src/platform/outbound/'],
    ),
    only(
      'passkeys-in-the-keyring',
      'Signatures of passkeys are verified where all cryptography is.',
      'node_modules/@simplewebauthn/',
      ['^server/src/platform/keyring/'],
    ),
    only(
      'export-encryption-in-the-keyring',
      'What encrypts an export stands where all cryptography is.',
      'node_modules/(age-encryption|openpgp)/',
      ['^server/src/platform/keyring/'],
    ),
    only(
      'encrypted-data-in-the-keyring',
      'What clients have encrypted is decrypted where all cryptography is.',
      'node_modules/jose/',
      ['^server/src/platform/keyring/'],
    ),
    only(
      'certificates-in-the-keyring',
      'Keys and certificates are created where all cryptography is.',
      'node_modules/(@peculiar/x509|reflect-metadata)/',
      ['^server/src/platform/keyring/'],
    ),
    {
      name: 'nothing-of-dev-in-production',
      comment:
        'Servers and workers must not load parts of development mode: echo destination, examples, local database.',
      severity: 'error',
      from: { path: '^server/src/(app/serve/vault-[a-z-]+|cli/(serve|work))\\.ts$' },
      to: {
        path: '^server/src/(app/(dev|seed)/|platform/(loopback|local-postgres)/)',
        reachable: true,
      },
    },
    only('mail-in-one-place', 'Mail is written and sent in one room.', 'node_modules/nodemailer/', [
      '^server/src/platform/mail/',
    ]),
  ],
  options,
};
