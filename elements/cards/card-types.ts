import type { CardType } from './card-type.ts';

const fours = [4, 8, 12] as const;
const to19 = (first: number) => Array.from({ length: 20 - first }, (_, index) => first + index);

export const VISA: CardType = {
  type: 'visa',
  niceType: 'Visa',
  patterns: [4],
  lengths: [13, 16, 18, 19],
  gaps: fours,
  code: { name: 'CVV', size: 3 },
};
export const MASTERCARD: CardType = {
  type: 'mastercard',
  niceType: 'Mastercard',
  patterns: [
    [51, 55],
    [2221, 2720],
  ],
  lengths: [16],
  gaps: fours,
  code: { name: 'CVC', size: 3 },
};
export const AMERICAN_EXPRESS: CardType = {
  type: 'american-express',
  niceType: 'American Express',
  patterns: [34, 37],
  lengths: [15],
  gaps: [4, 10],
  code: { name: 'CID', size: 4 },
};
export const DINERS_CLUB: CardType = {
  type: 'diners-club',
  niceType: 'Diners Club',
  patterns: [[300, 305], 3095, 36, [38, 39]],
  lengths: [14, 16, 19],
  gaps: [4, 10],
  code: { name: 'CVV', size: 3 },
};
export const DISCOVER: CardType = {
  type: 'discover',
  niceType: 'Discover',
  patterns: [6011, [644, 649], 65],
  lengths: [16, 19],
  gaps: fours,
  code: { name: 'CID', size: 3 },
};
export const JCB: CardType = {
  type: 'jcb',
  niceType: 'JCB',
  patterns: [1800, 2131, [3528, 3589]],
  lengths: to19(16),
  gaps: fours,
  code: { name: 'CVV', size: 3 },
};
export const UNION_PAY: CardType = {
  type: 'unionpay',
  niceType: 'UnionPay',
  patterns: [62, [810, 817]],
  lengths: to19(14),
  gaps: fours,
  code: { name: 'CVN', size: 3 },
};
export const MAESTRO: CardType = {
  type: 'maestro',
  niceType: 'Maestro',
  patterns: [493698, 50, [56, 58], 6304, 6390, 67],
  lengths: to19(12),
  gaps: fours,
  code: { name: 'CVC', size: 3 },
};
export const ELO: CardType = {
  type: 'elo',
  niceType: 'Elo',
  patterns: [
    [401178, 401179],
    431274,
    438935,
    451416,
    457393,
    [457631, 457632],
    504175,
    [506699, 506778],
    [509000, 509999],
    627780,
    636297,
    636368,
    [650031, 650033],
    [650035, 650051],
    [650405, 650439],
    [650485, 650538],
    [650541, 650598],
    [650700, 650718],
    [650720, 650727],
    [650901, 650978],
    [651652, 651679],
    [655000, 655019],
    [655021, 655058],
  ],
  lengths: [16],
  gaps: fours,
  code: { name: 'CVE', size: 3 },
};
export const MIR: CardType = {
  type: 'mir',
  niceType: 'Mir',
  patterns: [[2200, 2204]],
  lengths: to19(16),
  gaps: fours,
  code: { name: 'CVP2', size: 3 },
};
export const HIPER: CardType = {
  type: 'hiper',
  niceType: 'Hiper',
  patterns: [637095, 63737423, 63743358, 637568, 637599, 637609, 637612],
  lengths: [16],
  gaps: fours,
  code: { name: 'CVC', size: 3 },
};
export const HIPERCARD: CardType = {
  type: 'hipercard',
  niceType: 'Hipercard',
  patterns: [384100, 384140, 384160, 606282],
  lengths: [16],
  gaps: fours,
  code: { name: 'CVC', size: 3 },
};

export const DEFAULT_CARD_TYPES: readonly CardType[] = [
  VISA,
  MASTERCARD,
  AMERICAN_EXPRESS,
  DINERS_CLUB,
  DISCOVER,
  JCB,
  UNION_PAY,
  MAESTRO,
  ELO,
  MIR,
  HIPER,
  HIPERCARD,
];
