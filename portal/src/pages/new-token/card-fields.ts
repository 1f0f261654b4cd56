import {
  type ExpirationDateElement,
  strongroom,
  type StrongroomElements,
  type VaultElement,
} from '../../../../elements/client/index';

export const fieldNames = ['number', 'date', 'code'] as const;
type FieldName = (typeof fieldNames)[number];

export const fieldLabels: Readonly<Record<FieldName, string>> = {
  number: 'Card number',
  date: 'Expiry date',
  code: 'Security code',
};

/** The fields of a card in the page. What they hold cannot be read, only sent. */
export interface CardFields {
  readonly vault: StrongroomElements;
  readonly number: VaultElement;
  readonly date: ExpirationDateElement;
  readonly code: VaultElement;
  unmount(): void;
}

/** Puts the fields into the elements `card-number`, `card-date` and `card-code` of the page. */
export async function mountCardFields(key: string, elementsUrl: string): Promise<CardFields> {
  const vault = await strongroom(key, { elementsUrl });
  const fields = {
    number: vault.createElement('cardNumber', optionsOf('number')),
    date: vault.createElement('cardExpirationDate', optionsOf('date')),
    code: vault.createElement('cardVerificationCode', optionsOf('code')),
  };
  await Promise.all(fieldNames.map((name) => fields[name].mount(`#card-${name}`)));
  const unmount = () => {
    for (const name of fieldNames) fields[name].unmount();
  };
  return { vault, ...fields, unmount };
}

/** Stores the card, and returns the id of its token. */
export async function storeCard({ vault, number, date, code }: CardFields): Promise<string> {
  const data = { number, expiration_month: date.month(), expiration_year: date.year(), cvc: code };
  const { id } = await vault.tokens.create({ type: 'card', data });
  return id;
}

/** Returns the label and look of a field. It is a document of its own, which knows neither labels nor properties. */
function optionsOf(name: FieldName) {
  const { color } = getComputedStyle(document.body);
  return {
    targetId: name,
    'aria-label': fieldLabels[name],
    'aria-required': true,
    style: { base: { color, fontSize: '14px' } },
  };
}
