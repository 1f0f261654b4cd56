import type { SeededRandom } from '../../core/random/seeded-random.ts';
import { nightRhythm, officeRhythm, type SeedCalendar, shopRhythm } from './seed-calendar.ts';
import type { SeedApplicationName } from './seed-applications.ts';
import { createUuid, type SeedCustomer } from './seed-customers.ts';
import { seedAddresses, type SeedRequest } from './seed-request.ts';
import { createTokens } from './seed-tokens.ts';

export interface SeedPlan {
  readonly requests: readonly SeedRequest[];
  /**
   * The start of the window in which somebody tried ids with the key of the support desk, the time of the alert, and
   * the time at which the key was replaced.
   */
  readonly incident: { readonly windowFrom: Date; readonly alertAt: Date; readonly rotatedAt: Date };
}

const stranger = '203.0.113.77';
/** The number of customers who ask for their data to be deleted in the end. Their tokens are not read before that. */
const leaversCount = 6;
const incidentDaysAgo = 9;
const incidentMisses = 143;

interface World {
  readonly customers: readonly SeedCustomer[];
  readonly calendar: SeedCalendar;
  readonly random: SeededRandom;
  /** The destination to which the proxy sends payments. */
  readonly acquirerUrl: string;
}

/**
 * Plans a month in the life of a shop: customers join, are charged and get support, and the data of some is deleted.
 */
export function createSeedPlan(world: World): SeedPlan {
  const { calendar } = world;
  const alertAt = calendar.at(incidentDaysAgo, 3, 18);
  const rotatedAt = calendar.at(incidentDaysAgo, 8, 41);
  const joined = joinCustomers(world);
  const requests = [
    ...joined.flatMap(({ customer, at }) => createTokens(customer, at, world.random)),
    ...useTokens(world, joined),
    ...tryIds(world),
  ].map((request) => withKeyOfItsTime(request, rotatedAt));
  requests.sort((a, b) => a.at.getTime() - b.at.getTime());
  return { requests, incident: { windowFrom: calendar.at(incidentDaysAgo, 3, 10), alertAt, rotatedAt } };
}

interface Joined {
  readonly customer: SeedCustomer;
  readonly at: Date;
}

/** Spreads the customers over the month. Half of them join at the beginning, the others later. */
function joinCustomers({ customers, calendar, random }: World): Joined[] {
  const first = calendar.startsAt.getTime() + 60 * 60_000;
  const known = Math.floor(customers.length / 2);
  const moments = calendar.moments(4, shopRhythm);
  return customers
    .map((customer, index) => ({
      customer,
      at: index < known ? new Date(first + index * 20_000) : random.pick(moments),
    }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}

function useTokens(world: World, joined: readonly Joined[]): SeedRequest[] {
  const { calendar, random, acquirerUrl } = world;
  /** Picks a random customer who had joined by then. Newer customers are picked more often. */
  const someone = (at: Date) => {
    const known = joined.slice(leaversCount).filter((one) => one.at < at);
    return known[Math.floor(Math.sqrt(random.next()) * known.length)]?.customer;
  };
  const asked = (
    application: Exclude<SeedApplicationName, 'Checkout'>,
    { perDay, rhythm }: { perDay: number; rhythm: typeof officeRhythm },
    toRequest: (customer: SeedCustomer) => Pick<SeedRequest, 'method' | 'path' | 'status' | 'body' | 'headers'>,
  ) =>
    calendar.moments(perDay, rhythm).flatMap((at): SeedRequest[] => {
      const customer = someone(at);
      if (customer === undefined) return [];
      const address = random.pick(seedAddresses[application]);
      return [{ at, phase: 'use', application, address, ...toRequest(customer) }];
    });
  const office = (perDay: number) => ({ perDay, rhythm: officeRhythm });
  const read = (id: string, status = 200) => ({ method: 'GET', path: `/tokens/${id}`, status });

  return [
    ...asked('Payments', { perDay: 4, rhythm: shopRhythm }, ({ cardId }) => {
      const isDeclined = random.chance(0.06);
      return {
        method: 'POST',
        path: isDeclined ? '/proxy/status/402' : '/proxy/v1/charges',
        headers: { 'bt-proxy-url': acquirerUrl, authorization: 'Bearer acquirer-key' },
        body: { amount: 500 + random.below(20_000), currency: 'EUR', card: `{{ ${cardId} }}` },
        status: isDeclined ? 402 : 200,
      };
    }),
    ...asked('Payments', { perDay: 5, rhythm: shopRhythm }, ({ cardId }) => read(cardId)),
    ...asked('Support desk', office(18), ({ personId }) => read(personId)),
    ...asked('Support desk', office(8), ({ cardId }) => read(cardId)),
    ...asked('Support desk', office(6), ({ email }) => ({
      method: 'POST',
      path: '/tokens/search',
      body: { query: `data:"${email}"` },
      status: 200,
    })),
    ...asked('Fraud review', office(7), ({ cardId }) => read(cardId)),
    ...asked('Fraud review', office(3), ({ personId }) => read(personId)),
    ...asked('CRM sync', office(4), ({ personId }) => ({
      method: 'PATCH',
      path: `/tokens/${personId}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { checked: 'yes' } },
      status: 200,
    })),
    ...asked('Analytics', { perDay: 1, rhythm: nightRhythm }, () => ({
      method: 'GET',
      path: '/v2/tokens?size=50',
      status: 200,
    })),
    ...asked('Auditor', office(2), () => ({ method: 'GET', path: '/logs?size=50', status: 200 })),
    ...asked('Auditor', office(1), () => ({ method: 'GET', path: '/tenants/self/reports/usage', status: 200 })),
    // These requests are denied, or ask for tokens that do not exist.
    ...asked('CRM sync', office(1), ({ cardId }) => read(cardId, 403)),
    ...asked('Support desk', office(0.7), ({ personId }) => ({
      method: 'DELETE',
      path: `/tokens/${personId}`,
      status: 403,
    })),
    ...asked('Payments', { perDay: 0.3, rhythm: shopRhythm }, ({ cardId }) => ({
      method: 'POST',
      path: '/proxy/v1/collect',
      headers: { 'bt-proxy-url': 'https://collector.example' },
      body: { card: `{{ ${cardId} }}` },
      status: 403,
    })),
    ...asked('Support desk', office(1.5), () => read(createUuid(random), 404)),
    ...asked('Fraud review', office(0.4), () => read(createUuid(random), 404)),
    ...forgetSome(world, joined),
  ];
}

function forgetSome({ calendar, random }: World, joined: readonly Joined[]): SeedRequest[] {
  const moments = calendar.moments(0.3, officeRhythm).slice(-leaversCount);
  return moments.flatMap((at, index): SeedRequest[] => {
    const customer = joined[index]?.customer;
    if (customer === undefined) return [];
    const request = { method: 'DELETE', path: `/tokens/${customer.personId}`, status: 204 };
    return [
      { at, phase: 'delete', application: 'CRM sync', address: random.pick(seedAddresses['CRM sync']), ...request },
    ];
  });
}

/** Simulates somebody who tries ids with the key of the support desk for six minutes one night. */
function tryIds({ calendar, random }: World): SeedRequest[] {
  const from = calendar.at(incidentDaysAgo, 3, 12).getTime();
  return Array.from({ length: incidentMisses }, (_, index) => ({
    at: new Date(from + index * 2_500 + random.below(1_500)),
    phase: 'use',
    application: 'Support desk',
    address: stranger,
    method: 'GET',
    path: `/tokens/${createUuid(random)}`,
    status: 404,
  }));
}

function withKeyOfItsTime(request: SeedRequest, rotatedAt: Date): SeedRequest {
  const isAfterwards = request.application === 'Support desk' && request.phase === 'use' && request.at >= rotatedAt;
  return isAfterwards ? { ...request, phase: 'use-new-key' } : request;
}
