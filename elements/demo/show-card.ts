import type { StrongroomElements, ValueReference, VaultElement } from '../client/index.ts';
import { askShop } from './ask-shop.ts';
import { colorOf, fieldStyle, onTheme } from './field-style.ts';
import { partOf } from './page-part.ts';

interface ShownFields {
  readonly number: VaultElement;
  readonly date: VaultElement;
}

/** Styles the button in the colours of the page, which depend on its theme. */
const copyStyle = () => ({
  width: '100%',
  height: '44px',
  padding: '0 4px',
  borderRadius: '6px',
  color: colorOf('link'),
  fontSize: '13px',
  fontWeight: '500',
});

/** Mounts read-only fields, and a button in its own frame that copies the number. */
export async function mountShown(strongroom: StrongroomElements): Promise<ShownFields> {
  const look = { readOnly: true, iconPosition: 'none', style: fieldStyle() } as const;
  const number = strongroom.createElement('cardNumber', { ...look, targetId: 'shown-number' });
  const date = strongroom.createElement('cardExpirationDate', { ...look, targetId: 'shown-date' });
  const copy = strongroom.createElement('copyButton', { text: 'Copy number', style: { base: copyStyle() } });
  partOf('shown').hidden = false;
  await Promise.all([number.mount('#shown-number'), date.mount('#shown-date'), copy.mount('#copy')]);
  copy.setValueRef(number);
  onTheme(() => {
    for (const field of [number, date]) void field.update({ style: fieldStyle() });
    void copy.update({ style: { base: copyStyle() } });
  });
  return { number, date };
}

/** Shows the one card that the session may reveal. The response contains references that only fields can resolve. */
export async function showCard(
  strongroom: StrongroomElements,
  tokenId: string,
  { number, date }: ShownFields,
): Promise<void> {
  const { sessionKey, nonce } = await strongroom.sessions.create();
  await askShop('/sessions/show', { nonce, token_id: tokenId });
  const { data } = await strongroom.tokens.retrieve(tokenId, { apiKey: sessionKey });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Every value of a card is replaced with a reference.
  const card = data as Record<'number' | 'expiration_month' | 'expiration_year', ValueReference>;
  number.setValue(card.number);
  date.setValue({ month: card.expiration_month, year: card.expiration_year });
}
