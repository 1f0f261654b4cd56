import type { VaultElement } from '../client/index.ts';
import { partOf, say } from './page-part.ts';
import { findWrong, mountFields, pay, type Payment } from './pay-form.ts';
import { mountShown, showCard } from './show-card.ts';

/** A shop with card fields, for `strongroom dev`. The page needs no other script. */
const key = document.querySelector<HTMLMetaElement>('meta[name=strongroom-key]')?.content ?? '';
const form = partOf('pay');
const payButton = buttonOf('#pay button');
const showButton = buttonOf('#show');

function buttonOf(selector: string): HTMLButtonElement {
  const button = document.querySelector(selector);
  if (!(button instanceof HTMLButtonElement)) throw new Error(`The page has no ${selector}.`);
  return button;
}

/** Runs the action of a button. It blocks a second click while the action runs, and shows the result. */
async function act(button: HTMLButtonElement, resultId: string, action: () => Promise<string>): Promise<void> {
  button.disabled = true;
  say(resultId, '');
  try {
    say(resultId, await action());
  } catch (error) {
    say(resultId, error instanceof Error ? error.message : String(error), { isWrong: true });
  } finally {
    button.disabled = false;
  }
}

function showSeen({ order, tokenId, seen }: Payment): void {
  partOf('seen').hidden = false;
  partOf('seen-page').textContent = JSON.stringify(seen);
  partOf('seen-shop').textContent = `${JSON.stringify({ token_id: tokenId })}, ${order.card}`;
  partOf('seen-provider').textContent = JSON.stringify(order.provider);
}

async function open(): Promise<void> {
  if (window.strongroom === undefined) throw new Error('The script of the card fields was not loaded.');
  const strongroom = await window.strongroom(key);
  const fields = await mountFields(strongroom);
  let tokenId: string | undefined;
  let shown: ReturnType<typeof mountShown> | undefined;

  const submit = async () => {
    const wrong = findWrong(fields);
    if (wrong !== undefined) {
      wrong.focus();
      return;
    }
    await act(payButton, 'paid', async () => {
      const payment = await pay(strongroom, fields);
      tokenId = payment.tokenId;
      for (const field of Object.values(fields)) field.clear();
      showSeen(payment);
      showButton.disabled = false;
      say('show-hint', 'A frame of the vault shows the number; this page cannot look into it.');
      return `Paid with ${payment.order.card}`;
    });
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  // Enter pressed inside a frame does not reach the form.
  for (const field of Object.values<VaultElement>({ ...fields }))
    field.on('keydown', ({ key: pressed }) => {
      if (pressed === 'Enter') void submit();
    });
  showButton.addEventListener('click', () => {
    const id = tokenId;
    if (id === undefined) return;
    void act(showButton, 'show-result', async () => {
      shown ??= mountShown(strongroom);
      await showCard(strongroom, id, await shown);
      return 'Shown for you only.';
    });
  });
  payButton.disabled = false;
}

open().catch((error: unknown) =>
  say('paid', error instanceof Error ? error.message : String(error), { isWrong: true }),
);
