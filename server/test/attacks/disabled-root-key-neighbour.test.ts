import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { AwsKmsEndpoint } from '../harness/key-services/aws-kms-endpoint.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { PacedClient, percentile } from '../harness/paced-client.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// The owner of a tenant disables the tenant's own root key while its applications keep sending requests. A neighbour whose keys
// are wrapped by the root key of the vault must not notice. The vault runs in a process of its own.

/** The short form runs with every build. `npm run test:root-keys` sets the other values. */
const rounds = Number(process.env['DISABLED_KEY_ROUNDS'] ?? 1);
const roundMs = Number(process.env['DISABLED_KEY_ROUND_MS'] ?? 1_500);
/** Short rounds on a busy machine only show whether the neighbour is served at all. */
const ratioMax = Number(process.env['DISABLED_KEY_P99_RATIO_MAX'] ?? Number.POSITIVE_INFINITY);
/** Shorter than any operator would choose, so that rounds are short. */
const graceSeconds = 3;

let kms: AwsKmsEndpoint;
let vault: TestVault;
let served: MeasuredVault;
let owner: TestTenant;
let quiet: TestTenant;
beforeAll(async () => {
  kms = await AwsKmsEndpoint.start();
  const keys = new Map([['acme', { kind: 'aws-kms', open: () => kms.open() }]]);
  vault = await TestVault.start(undefined, { ownRootKeys: { keys, graceSeconds } });
  [owner, quiet] = [await vault.makeTenant('test', 'acme'), await vault.makeTenant()];
  for (const { keys: own } of [owner, quiet]) {
    const body = { id: 'kept', type: 'token', data: 'kept' };
    expect((await vault.request('POST', '/tokens', { key: own.private, body })).status).toBe(201);
  }
  const { accessKey: _, ...service } = kms.options;
  served = await MeasuredVault.serve(vault, { ownKey: { name: 'acme', graceSeconds, service, accessKey: kms.own } });
});
afterAll(async () => {
  await served.stop();
  await vault.stop();
  await kms.stop();
});

const get = ({ keys }: TestTenant) => ({ method: 'GET', path: '/tokens/kept', key: keys.reveal });
const create = ({ keys }: TestTenant) => ({
  method: 'POST',
  path: '/tokens',
  key: keys.private,
  body: { type: 'token', data: 'v' },
});
const untilOwnerGets = (status: number) =>
  untilTrue(async () => (await served.send(get(owner))).status === status, { waitingFor: `a ${status} of the owner` });

/** The states between which the rounds take turns, and what the tenant with the own root key is answered. */
const states = {
  enabled: { begin: () => kms.recover(), status: 200 },
  disabled: { begin: () => kms.troubles.disabled(), status: 503 },
  silent: { begin: () => kms.troubles.slow(), status: 503 },
};
type State = keyof typeof states;
/** A service that does not respond costs seconds a round, so that it is in the long form only. */
const troubles: readonly State[] = rounds === 1 ? ['disabled'] : ['disabled', 'silent'];

describe('beside a tenant whose own root key is disabled or silent', () => {
  it('another tenant is served as fast as before', async () => {
    const neighbour = new PacedClient(served.url, '127.0.0.3', {
      streams: [
        { requests: [get(quiet)], perSecond: 60 },
        { requests: [create(quiet)], perSecond: 20 },
      ],
    });
    const asking = new PacedClient(served.url, '127.0.0.2', {
      streams: [
        { requests: [get(owner)], perSecond: 60 },
        { requests: [create(owner)], perSecond: 20 },
      ],
      isElsewhere: true,
    });
    const measure = async (state: State): Promise<readonly number[]> => {
      kms.recover();
      states[state].begin();
      await untilOwnerGets(states[state].status);
      const [own, others] = await Promise.all([neighbour.run(roundMs), asking.run(roundMs)]);
      expect(Object.keys(own.statuses).toSorted()).toEqual(['200', '201']);
      expect(others.statuses).toHaveProperty(String(states[state].status));
      if (state !== 'enabled') for (const ok of ['200', '201']) expect(others.statuses).not.toHaveProperty(ok);
      return own.latenciesMs;
    };
    const pairs = troubles.map((state) => ({ state, before: [] as number[][], beside: [] as number[][] }));
    try {
      await measure('enabled');
      for (let round = 0; round < rounds; round += 1) {
        for (const { state, before, beside } of pairs) {
          before.push([...(await measure('enabled'))]);
          beside.push([...(await measure(state))]);
        }
      }
    } finally {
      await Promise.all([neighbour.stop(), asking.stop()]);
    }
    for (const { state, before, beside } of pairs) {
      // Other work on the machine comes and goes, so each round is compared with the one just before it.
      const ratios = before.map((one, index) => percentile(beside[index] ?? [], 0.99) / percentile(one, 0.99));
      const ratio = percentile(ratios, 0.5);
      const pooled = (of: number[][], share: number) => percentile(of.flat(), share).toFixed(1);
      process.stdout.write(
        `${state}: p50 ${pooled(before, 0.5)} to ${pooled(beside, 0.5)} ms, p99 ${pooled(before, 0.99)} to ` +
          `${pooled(beside, 0.99)} ms; median ratio of p99 in ${rounds} pairs of rounds ${ratio.toFixed(2)}x\n`,
      );
      expect(ratio).toBeLessThanOrEqual(ratioMax);
    }
  });
});
