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
      comment: 'core holds rules: no I/O, no framework, nothing above it.',
      severity: 'error',
      from: { path: core, pathNot: tests },
      to: { pathNot: [core, 'node_modules/typebox/'] },
    },
    {
      name: 'platform-below-features',
      comment: 'platform knows tenants and the outside world, never a feature or the edge.',
      severity: 'error',
      from: { path: '^server/src/platform/' },
      to: { path: '^server/src/(features|http|app|cli)/' },
    },
    {
      name: 'http-below-features',
      comment: 'The edge serves every feature and knows none.',
      severity: 'error',
      from: { path: '^server/src/http/', pathNot: tests },
      to: { path: '^server/src/(features|app|cli)/' },
    },
    {
      name: 'features-below-app',
      comment: 'Features are composed by app/, not the other way round.',
      severity: 'error',
      from: { path: '^server/src/features/', pathNot: tests },
      to: { path: '^server/src/(app|cli)/' },
    },
    {
      name: 'app-below-cli',
      comment: 'Commands use the application, never the reverse.',
      severity: 'error',
      from: { path: '^server/src/app/' },
      to: { path: '^server/src/cli/' },
    },
    {
      name: 'commands-load-on-demand',
      comment: 'Help and a mistyped argument answer at once: a command imports what it runs when it runs.',
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
      comment: 'Another feature is reached only through its index.ts.',
      severity: 'error',
      from: { path: '^server/src/features/([^/]+)/', pathNot: tests },
      to: {
        path: '^server/src/features/([^/]+)/',
        pathNot: ['^server/src/features/$1/', '^server/src/features/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'parts-of-tokens-meet-at-the-index',
      comment: 'Another part of tokens is reached only through its index.ts; model belongs to all of them.',
      severity: 'error',
      from: { path: '^server/src/features/tokens/([^/]+)/', pathNot: tests },
      to: {
        path: '^server/src/features/tokens/',
        pathNot: [
          '^server/src/features/tokens/$1/',
          '^server/src/features/tokens/model/',
          '^server/src/features/tokens/(read|write|query|tokenize|upkeep)/index\\.ts$',
        ],
      },
    },
    {
      name: 'the-model-of-tokens-knows-no-part',
      comment: 'model says what a token is and how it is stored; what is done with it stands above.',
      severity: 'error',
      from: { path: '^server/src/features/tokens/model/', pathNot: tests },
      to: { path: '^server/src/features/tokens/', pathNot: '^server/src/features/tokens/model/' },
    },
    {
      name: 'tests-stay-out-of-the-product',
      comment: 'The harness and test files are never part of what ships.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: tests },
      to: { path: ['^server/test/', tests] },
    },
    {
      name: 'suites-see-a-vault-from-outside',
      comment: 'The conformance suites know what a client knows; only their harness starts things.',
      severity: 'error',
      from: { path: '^conformance/(clients|api|elements|pages)/' },
      to: { path: '^server/src/' },
    },
    {
      name: 'the-api-suite-knows-no-client',
      comment: 'What is asked with fetch must not depend on how a client asks.',
      severity: 'error',
      from: { path: '^conformance/api/' },
      to: { path: ['@basis-theory/', '^conformance/harness/(node-clients|browser-client)\\.ts$'], reachable: true },
    },
    {
      name: 'the-portal-shares-core-only',
      comment: 'The portal runs in a browser: of the server it may use rules and texts, which are pure.',
      severity: 'error',
      from: { path: '^portal/src/' },
      to: { path: '^server/', pathNot: '^server/src/core/' },
    },
    {
      name: 'parts-of-the-portal-know-no-page',
      comment: 'What pages are composed of serves all of them.',
      severity: 'error',
      from: { path: '^portal/src/(api|charts|parts|proof)/' },
      to: { path: '^portal/src/pages/' },
    },
    {
      name: 'pages-of-the-portal-stand-alone',
      comment: 'A page is a folder; what two of them need is a part.',
      severity: 'error',
      from: { path: '^portal/src/pages/([^/]+)/' },
      to: { path: '^portal/src/pages/', pathNot: '^portal/src/pages/$1/' },
    },
    {
      name: 'elements-share-core-only',
      comment: 'Card fields run in a browser: of the server they may use rules, which are pure.',
      severity: 'error',
      from: { path: '^elements/' },
      to: { path: '^server/', pathNot: '^server/src/core/' },
    },
    {
      name: 'card-fields-bring-no-package',
      comment: 'Every line that runs beside a card number is ours to read.',
      severity: 'error',
      from: { path: '^elements/(client|frames|protocol|cards)/' },
      to: { path: 'node_modules' },
    },
    {
      name: 'page-and-frames-meet-in-the-protocol',
      comment: 'What runs in the page of a shop and what runs in a frame of the vault share messages and nothing else.',
      severity: 'error',
      from: { path: '^elements/(client|react)/' },
      to: { path: '^elements/frames/' },
    },
    {
      name: 'field-and-controller-meet-in-messages',
      comment: 'They are two documents: what one holds, the other gets in a message.',
      severity: 'error',
      from: { path: '^elements/frames/(field|controller)/' },
      to: { path: '^elements/frames/(field|controller)/', pathNot: '^elements/frames/$1/' },
    },
    {
      name: 'frames-know-no-client',
      comment: 'A frame of the vault runs nothing that is made for pages.',
      severity: 'error',
      from: { path: '^elements/(frames|protocol|cards)/' },
      to: { path: '^elements/(client|react)/' },
    },
    {
      name: 'nothing-depends-on-the-suites',
      comment: 'Published clients are for testing and never part of what ships.',
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
      'certificates-in-the-keyring',
      'Keys and certificates are created where all cryptography is.',
      'node_modules/(@peculiar/x509|reflect-metadata)/',
      ['^server/src/platform/keyring/'],
    ),
    {
      name: 'nothing-of-dev-in-production',
      comment: 'A server and a worker must not be able to reach what only development has: echo, seed, own database.',
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
