import type { ElementOptions, ExpirationDateElement, StrongroomElements, VaultElement } from '../client/index.ts';
import { askShop } from './ask-shop.ts';
import { fieldStyle, onTheme } from './field-style.ts';
import { partOf, say } from './page-part.ts';

export interface Order {
  readonly card: string;
  /** The request that the provider received, without sensitive values. */
  readonly provider: unknown;
}

export interface Payment {
  readonly order: Order;
  readonly tokenId: string;
  /** Everything that the page learned about the card. */
  readonly seen: object;
}

interface Fields {
  readonly number: VaultElement;
  readonly date: ExpirationDateElement;
  readonly code: VaultElement;
}

const options = (id: string): ElementOptions => ({
  targetId: id,
  'aria-required': true,
  style: fieldStyle(),
});

/** Puts the three fields into the page. */
export async function mountFields(strongroom: StrongroomElements): Promise<Fields> {
  const fields = {
    number: strongroom.createElement('cardNumber', options('number')),
    date: strongroom.createElement('cardExpirationDate', options('date')),
    code: strongroom.createElement('cardVerificationCode', options('code')),
  };
  await Promise.all(Object.entries(fields).map(([id, field]) => mountField(id, field)));
  onTheme(() => {
    for (const field of Object.values<VaultElement>(fields)) void field.update({ style: fieldStyle() });
  });
  return fields;
}

async function mountField(id: string, field: VaultElement): Promise<void> {
  const { classList } = partOf(id);
  field.on('focus', () => classList.add('focused'));
  field.on('blur', () => {
    classList.remove('focused');
    if (!field.metadata.empty) showProblem(id, field);
  });
  field.on('change', () => {
    // A problem that is shown changes with what is typed. No other is shown before the user leaves the field.
    if (classList.contains('wrong')) showProblem(id, field);
  });
  await field.mount(`#${id}`);
}

function showProblem(id: string, { problems }: VaultElement): void {
  const [problem] = problems;
  partOf(id).classList.toggle('wrong', problem !== undefined);
  say(`${id}-problem`, problem?.message ?? '', { isWrong: problem !== undefined });
}

/** Shows all problems and returns the first field that has one. */
export function findWrong(fields: Fields): VaultElement | undefined {
  const wrong = Object.entries(fields).filter(([, { metadata }]) => metadata.valid !== true || !metadata.complete);
  for (const [id, field] of wrong) showProblem(id, field);
  return wrong[0]?.[1];
}

/**
 * Creates a session without any rights. The shop's server then authorizes it to create one card, and the vault reads
 * the card from the fields. The page sends the token to the shop's server.
 */
export async function pay(strongroom: StrongroomElements, { number, date, code }: Fields): Promise<Payment> {
  const { sessionKey, nonce } = await strongroom.sessions.create();
  await askShop('/sessions/pay', { nonce });
  const token = await strongroom.tokens.create(
    {
      type: 'card',
      data: { number, expiration_month: date.month(), expiration_year: date.year(), cvc: code },
    },
    { apiKey: sessionKey },
  );
  const order = await askShop<Order>('/orders', { token_id: token.id });
  const { id, data, card } = token;
  return { order, tokenId: id, seen: { id, data, card } };
}
