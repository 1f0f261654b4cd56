import { beforeAll, describe, expect, inject, it } from 'vitest';
import { canarySuite, pythonSuite } from '../compatibility/maker-suites.ts';
import { ApiCaller } from '../harness/api-caller.ts';
import { makeApplication } from '../harness/make-application.ts';
import { makeTenant } from '../harness/make-tenant.ts';
import { runNodeSuite, runPythonSuite, type SuiteResult } from '../harness/maker-suite-run.ts';

/*
 * Runs the suites that the makers of the clients run against their own service, unchanged. No package registry has
 * their source, so they run only if a folder that contains it is given.
 */
const vault = inject('vault');
const suites = [
  { ...canarySuite, run: runNodeSuite },
  { ...pythonSuite, run: runPythonSuite },
].filter(({ variable }) => process.env[variable] !== undefined);

/** The tests expect a tenant with a certain name, and a private key that reveals plaintext. */
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { managementKey: management } = await makeTenant(vault);
  await new ApiCaller(vault, management).put('/tenants/self', { name: 'SDK Integration Tests' });
  const actions = ['create', 'read', 'update', 'delete', 'search', 'use'];
  const onIntents = ['create', 'read', 'delete'].map((action) => `token-intent:${action}`);
  const permissions = [...actions.map((action) => `token:${action}`), ...onIntents];
  const rule = { description: 'See everything', priority: 1, container: '/', transform: 'reveal', permissions };
  const { key } = await makeApplication({ ...vault, keys: { ...vault.keys, management } }, { rules: [rule] });
  environment = {
    BT_API_URL: vault.url,
    BT_MGT_API_KEY: management,
    BT_PVT_API_KEY: key,
    BT_PVT_TEST_API_KEY: key,
  };
});

describe.each(suites)('the suite of $name', ({ variable, file, run, passing, failing }) => {
  let result: SuiteResult;
  beforeAll(async () => {
    result = await run({ folder: process.env[variable] ?? '', file, environment });
  });

  it('has the tests that the compatibility page is about', () => {
    expect(result.all.toSorted()).toEqual([...passing, ...failing.map(({ name }) => name)].toSorted());
  });

  it('passes as far as the page says', () => {
    expect(result.passed.toSorted()).toEqual(passing.toSorted());
  });
});
