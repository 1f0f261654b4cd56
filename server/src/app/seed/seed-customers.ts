import type { SeededRandom } from '../../core/random/seeded-random.ts';
import { passesLuhn } from '../../core/token-types/field-checks.ts';

/** A fictitious customer with a card that no bank has issued. */
export interface SeedCustomer {
  /** The customer number at the shop. */
  readonly number: string;
  readonly personId: string;
  readonly cardId: string;
  /** The id of the bank account, for customers who pay by debit. */
  readonly bankId: string | undefined;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly address: string;
  readonly card: { readonly number: string; readonly expiration_month: number; readonly expiration_year: number };
  readonly account: { readonly routing_number: string; readonly account_number: string };
}

const firstNames =
  'Amara Anton Beatriz Bruno Chidi Clara Daria Emil Farah Felix Greta Hana Ines Ivo Jonas Kaya Lea Linus Mara Mateo Mira Nadia Noor Oskar Paula Priya Rafael Rosa Samir Selma Tariq Thea Viktor Yara Zoe'.split(
    ' ',
  );
const lastNames =
  'Abara Alvarez Becker Bianchi Castellan Dahl Demir Eklund Ferrante Fontaine Grieg Haddad Holm Ibarra Jansen Kaminski Keller Laurent Lindqvist Marchetti Moreau Novak Okafor Olsen Petrov Quint Rahman Rossi Santoro Sato Tanaka Urbani Vogel Weiss Yilmaz'.split(
    ' ',
  );
const streets = 'Birch Street,Canal Row,Cedar Lane,Dock Road,Elm Court,Garden Square,Harbour View,Mill Lane'.split(',');
const cities = 'Ashford,Brookhaven,Clearwater,Eastmere,Fairview,Larkspur,Northam,Silverton'.split(',');
/** The first digits and the length of card numbers that networks and providers document for testing. */
const testRanges = [
  ['424242', 16],
  ['400005', 16],
  ['555555', 16],
  ['222300', 16],
  ['378282', 15],
  ['601111', 16],
] as const;
/** The routing number that providers document for testing. */
const testRouting = '110000000';

export function createCustomers(count: number, thisYear: number, random: SeededRandom): SeedCustomer[] {
  const taken = new Set<string>();
  return Array.from({ length: count }, (_, index) => {
    const [first, last] = [random.pick(firstNames), random.pick(lastNames)];
    const number = `C-${10_000 + index * 7 + random.below(7)}`;
    return {
      number,
      personId: createUuid(random),
      cardId: createUuid(random),
      bankId: index % 10 === 3 ? createUuid(random) : undefined,
      name: `${first} ${last}`,
      email: `${first}.${last}.${index}@example.com`.toLowerCase(),
      phone: `+1-555-01${String(random.below(100)).padStart(2, '0')}`,
      address: `${1 + random.below(180)} ${random.pick(streets)}, ${random.pick(cities)}`,
      card: {
        number: createCardNumber(random, taken),
        expiration_month: 1 + random.below(12),
        expiration_year: thisYear + 1 + random.below(5),
      },
      account: { routing_number: testRouting, account_number: digits(12, random) },
    };
  });
}

export function createUuid(random: SeededRandom): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
  const variant = '89ab'[random.below(4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Creates a card number that has not been used yet. */
function createCardNumber(random: SeededRandom, taken: Set<string>): string {
  const [prefix, length] = random.pick(testRanges);
  const body = prefix + digits(length - prefix.length - 1, random);
  const number = Array.from({ length: 10 }, (_, digit) => `${body}${digit}`).find(passesLuhn) ?? '';
  if (taken.has(number)) return createCardNumber(random, taken);
  taken.add(number);
  return number;
}

function digits(count: number, random: SeededRandom): string {
  return Array.from({ length: count }, () => random.below(10)).join('');
}
