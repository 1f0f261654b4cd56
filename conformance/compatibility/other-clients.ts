import { pythonSuite, toShare } from './maker-suites.ts';

/** A client that is not in the tables of this page. */
interface OtherClient {
  readonly name: string;
  readonly checked: string;
  readonly remarks: string;
}

/** Clients that the suite runs without testing each call. */
const run: readonly OtherClient[] = [
  {
    name: 'node-sdk 6.1.1',
    checked:
      'Run, but not in CI: every Node.js case in the tables above, with the client built from its tag. `CONFORMANCE_NODE_SDK=<folder> npm run test:conformance` tests any other version.',
    remarks:
      '`applicationKeys.list` calls its filter `keyId`; `tenants.members.list` paginates automatically. Both work.',
  },
  {
    name: 'basis-theory-js 2.9.0, 1.79.3',
    checked: 'Run in CI: tokens, tokenize, proxy, sessions, applications, tenant, members, permissions, logs, errors.',
    remarks: 'They change field names in errors: `data.number` becomes `dataNumber`.',
  },
  {
    name: 'python-sdk 7.0.0',
    checked: `Run, but not in CI: its [own suite](#suites-of-the-makers), of which ${toShare(pythonSuite)} tests pass.`,
    remarks: '`base_url` sets the address.',
  },
  {
    name: 'a client generated from `/openapi.json` (openapi-typescript 7.13.0, openapi-fetch 0.17.0)',
    checked: 'Run in CI: creates, reads, updates, lists, searches, deletes and proxies.',
    remarks:
      'openapi-fetch encodes slashes in `/proxy/{path}`: put paths with more than one segment in `BT-PROXY-URL`.',
  },
];

/** Clients whose source was compared with the responses of a vault. They were not run. */
const read: readonly OtherClient[] = [
  {
    name: 'react-native-elements 4.4.0',
    checked: 'Read: `apiBaseUrl` sets the address; `/tokens`, `/tokenize`, `/sessions`, `/proxy`.',
    remarks:
      'Deleting a token works, but the client then reads the empty 204 as JSON and throws. Token intents and BIN lookup are not supported.',
  },
  {
    name: 'android-elements 2.8.0 (before: basistheory-android 4.2.3)',
    checked: 'Read: `apiUrl` sets the address; `/tokens`, `/tokenize`, `/sessions`, `/proxy`.',
    remarks:
      'Can read only tokens that have `created_by`, which imported tokens do not. Token intents and BIN lookup are not supported.',
  },
  {
    name: 'ios-elements 5.2.3 (before: basistheory-ios 4.1.2)',
    checked:
      'Read: `basePath` sets the address; `/tokens`, `/tokenize`, `/sessions`, `/sessions/authorize`, `/applications/key`, `/proxy`.',
    remarks: 'Token intents and BIN lookup are not supported.',
  },
  {
    name: 'react-elements 3.1.0, basis-theory-react 1.32.5',
    checked: 'Read: pages hosted by their vendor.',
    remarks:
      'react-elements 3 does not work with a vault, because its frame protocol is not published: use 2.17.0. basis-theory-react is basis-theory-js with components that were not tried.',
  },
  {
    name: 'the Java, .NET and Go clients',
    checked: 'Neither run nor read: they are not in a package registry that the suite can install from.',
    remarks: 'They are generated from the same description as node-sdk.',
  },
];

export const otherClients = { run, read };
