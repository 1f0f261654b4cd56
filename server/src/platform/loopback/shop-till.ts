import { membersOf } from '../../core/objects/members-of.ts';
import type { LoopbackClient } from './loopback-client.ts';

/** An error of the shop. Its message is shown on the page. */
export class ShopRefusal extends Error {}

export interface ShopKeys {
  /** A key that may create and use cards, and sees them masked. */
  readonly private: string;
  /** A key that may let a session see plaintext. */
  readonly reveal: string;
}

const cardContainer = '/pci/high/';
const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  'american-express': 'American Express',
};

/**
 * The part of a shop's server that uses a vault. It decides what sessions may do, and charges cards that it never sees.
 */
export class ShopTill {
  readonly #vault: LoopbackClient;
  readonly #keys: ShopKeys;
  readonly #providerUrl: string;
  /** The cards of the shop's own customers. The shop shows no others. */
  readonly #sold = new Set<string>();

  constructor(vault: LoopbackClient, { keys, providerUrl }: { keys: ShopKeys; providerUrl: string }) {
    this.#vault = vault;
    this.#keys = keys;
    this.#providerUrl = providerUrl;
  }

  /** Authorizes a session for one checkout. The session can store a card, and sees it masked. */
  async letPay({ nonce }: Readonly<Record<string, unknown>>): Promise<object> {
    const rule = { description: 'One checkout', priority: 1, container: cardContainer, transform: 'mask' };
    await this.#authorize(this.#keys.private, nonce, { ...rule, permissions: ['token:create'] });
    return {};
  }

  /**
   * Authorizes a session for the owner of a card, whom a real shop would have signed in. The session can see this card
   * and no other.
   */
  async letShow({ nonce, token_id }: Readonly<Record<string, unknown>>): Promise<object> {
    const id = requireId(token_id);
    if (!this.#sold.has(id)) throw new ShopRefusal('Nothing was paid with this card here.');
    const conditions = [{ attribute: 'id', operator: 'equals', value: id }];
    const rule = { description: 'Show a card to its owner', priority: 1, conditions, transform: 'reveal' };
    await this.#authorize(this.#keys.reveal, nonce, { ...rule, permissions: ['token:read'] });
    return {};
  }

  /** Charges a card. The vault inserts the card into the request to the provider. */
  async takeOrder({ token_id }: Readonly<Record<string, unknown>>): Promise<object> {
    const id = requireId(token_id);
    const token = membersOf(await this.#ask('GET', `/tokens/${id}`, this.#keys.private));
    const charge = {
      amount: 2400,
      currency: 'eur',
      card: {
        number: `{{ ${id} | json: '$.number' }}`,
        expiration_month: `{{ ${id} | json: '$.expiration_month' }}`,
        expiration_year: `{{ ${id} | json: '$.expiration_year' }}`,
        cvc: `{{ ${id} | json: '$.cvc' }}`,
      },
    };
    const received = await this.#vault.ask({
      method: 'POST',
      // A provider would return a receipt. This one returns what it received, without the data that the shop must not
      // see.
      path: '/proxy/masked/v1/charges',
      headers: { 'bt-api-key': this.#keys.private, 'bt-proxy-url': this.#providerUrl },
      body: charge,
    });
    if (received.status !== 200) throw new ShopRefusal(`The payment was refused with status ${received.status}.`);
    this.#sold.add(id);
    const { brand, last4 } = membersOf(token['card']);
    return {
      card: `${brands[String(brand)] ?? 'Card'} •••• ${String(last4)}`,
      provider: membersOf(received.body)['body'],
    };
  }

  /**
   * Authorizes only sessions that card fields have created. A script in the page does not have the key of such a
   * session.
   */
  #authorize(key: string, nonce: unknown, rule: object): Promise<unknown> {
    const grant = { nonce: String(nonce), rules: [rule], origin: 'elements' };
    return this.#ask('POST', '/sessions/authorize', key, grant);
  }

  async #ask(method: string, path: string, key: string, body?: object): Promise<unknown> {
    const response = await this.#vault.ask({ method, path, headers: { 'bt-api-key': key }, body });
    if (response.status < 300) return response.body;
    const { detail } = membersOf(response.body);
    throw new ShopRefusal(typeof detail === 'string' ? detail : `The vault responded with ${response.status}.`);
  }
}

/** Requires a valid id, because it becomes a part of paths and expressions. */
function requireId(value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return value;
  throw new ShopRefusal('This is no token of a card.');
}
