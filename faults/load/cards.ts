import type { LoadContext, Operation } from './operation.ts';

const keptMax = 300;

interface Card {
  readonly id: string;
  readonly code: string;
}

/** Cards with verification codes, which must be readable for an hour and no longer. */
export class Cards {
  readonly #context: LoadContext;
  readonly #cards: Card[] = [];

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [
      { name: 'card', weight: 4, act: () => this.#create() },
      { name: 'code', weight: 4, act: () => this.#read() },
    ];
  }

  async #create(): Promise<void> {
    const { client, tenant, nextNumber, random } = this.#context;
    const card = { id: `card-${nextNumber()}`, code: String(random.below(1_000)).padStart(3, '0') };
    const { outcome } = await client.send({
      operation: 'card',
      method: 'POST',
      path: '/tokens',
      key: tenant.private,
      body: {
        id: card.id,
        type: 'card',
        data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2040, cvc: card.code },
      },
      facts: { id: card.id },
    });
    if (outcome === 'done') this.#cards.push(card);
    if (this.#cards.length > keptMax) this.#cards.shift();
  }

  async #read(): Promise<void> {
    const { client, tenant, random } = this.#context;
    if (this.#cards.length === 0) return;
    const { id, code } = random.pick(this.#cards);
    await client.send({
      operation: 'code',
      method: 'GET',
      path: `/tokens/${id}`,
      key: tenant.private,
      facts: { id },
      see: (body) => {
        const { cvc } = (body as { data: { cvc?: string } }).data;
        return { code: cvc === undefined ? 'none' : cvc === code ? 'right' : 'wrong' };
      },
    });
  }
}
