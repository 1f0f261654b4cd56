/** A client that the tables of this page are not about. */
interface OtherClient {
  readonly name: string;
  readonly checked: string;
  readonly remarks: string;
}

/** Driven by the suite, but not call by call. */
const run: readonly OtherClient[] = [
  {
    name: 'node-sdk 6.1.1',
    checked:
      'Run, not in CI: every case of the tables for Node.js above, with the client built from its tag. `CONFORMANCE_NODE_SDK=<folder> npm run test:conformance` drives any further version.',
    remarks:
      '`applicationKeys.list` calls its filter `keyId`; `tenants.members.list` pages by itself. Both are answered.',
  },
  {
    name: 'basis-theory-js 2.9.0, 1.79.3',
    checked: 'Run in CI: tokens, tokenize, proxy, sessions, applications, tenant, members, permissions, logs, errors.',
    remarks: 'They change the case of field names in errors: `data.number` becomes `dataNumber`.',
  },
  {
    name: 'a client generated from `/openapi.json` (openapi-typescript 7.13.0, openapi-fetch 0.17.0)',
    checked: 'Run in CI: creates, reads, updates, lists, searches, deletes and proxies.',
    remarks:
      'openapi-fetch encodes slashes in `/proxy/{path}`: put paths with more than one segment into `BT-PROXY-URL`.',
  },
];

/** Their source was read and compared with what a vault answers. Nothing of them was run. */
const read: readonly OtherClient[] = [
  {
    name: 'react-native-elements 4.4.0',
    checked: 'Read: `apiBaseUrl` sets the address; `/tokens`, `/tokenize`, `/sessions`, `/proxy`.',
    remarks:
      'Deleting a token deletes it, but this client then reads the empty 204 as JSON and throws. Token intents and BIN lookup are not answered.',
  },
  {
    name: 'android-elements 2.8.0 (before: basistheory-android 4.2.3)',
    checked: 'Read: `apiUrl` sets the address; `/tokens`, `/tokenize`, `/sessions`, `/proxy`.',
    remarks:
      'Reads a token only if it has `created_by`, which tokens from `strongroom import` do not. Token intents and BIN lookup are not answered.',
  },
  {
    name: 'ios-elements 5.2.3 (before: basistheory-ios 4.1.2)',
    checked:
      'Read: `basePath` sets the address; `/tokens`, `/tokenize`, `/sessions`, `/sessions/authorize`, `/applications/key`, `/proxy`.',
    remarks: 'Token intents and BIN lookup are not answered.',
  },
  {
    name: 'web-elements 2.17.0, react-elements 3.1.0, basis-theory-react 1.32.5',
    checked: 'Read: pages of their maker, loaded from its own servers.',
    remarks: 'Elements do not work with a vault; what basis-theory-react hands out beside them is basis-theory-js.',
  },
  {
    name: 'the clients for Python, Java, .NET and Go',
    checked: 'Neither run nor read here: they are in other package registries than the suite can install from.',
    remarks: 'They are generated from the same description as node-sdk.',
  },
];

export const otherClients = { run, read };
