/** The icons of card brands. They are drawn here because an image would have to be loaded. */
const marks: Readonly<Record<string, readonly [label: string, color: string]>> = {
  visa: ['VISA', '#1a1f71'],
  mastercard: ['MC', '#cf4500'],
  'american-express': ['AMEX', '#006fcf'],
  discover: ['DISC', '#b34700'],
  'diners-club': ['DC', '#0079be'],
  jcb: ['JCB', '#0b4ea2'],
  unionpay: ['UP', '#a5121f'],
  maestro: ['MAE', '#00669d'],
  elo: ['ELO', '#1b1b1b'],
  mir: ['MIR', '#2d7a2f'],
  hiper: ['HIPER', '#b35c00'],
  hipercard: ['HIPER', '#a11c24'],
};
const namespace = 'http://www.w3.org/2000/svg';

export class BrandIcon {
  readonly element = document.createElementNS(namespace, 'svg');
  readonly #card = document.createElementNS(namespace, 'rect');
  readonly #label = document.createElementNS(namespace, 'text');
  /** The magnetic stripe, shown while the brand of the card is unknown. */
  readonly #stripe = document.createElementNS(namespace, 'rect');

  constructor() {
    const { element } = this;
    element.setAttribute('viewBox', '0 0 36 24');
    element.setAttribute('class', 'icon');
    element.setAttribute('aria-hidden', 'true');
    set(this.#card, { x: 0.5, y: 0.5, width: 35, height: 23, rx: 4, stroke: '#fff', 'stroke-opacity': 0.35 });
    set(this.#stripe, { x: 1, y: 5, width: 34, height: 5, fill: '#fff', 'fill-opacity': 0.55 });
    set(this.#label, { x: 18, y: 15.5, 'text-anchor': 'middle', fill: '#fff' });
    element.append(this.#card, this.#stripe, this.#label);
    this.show(undefined);
  }

  show(brand: string | undefined): void {
    const known = brand !== undefined && Object.hasOwn(marks, brand) ? marks[brand] : undefined;
    const [label, color] = known ?? ['', '#8a93a3'];
    this.#card.setAttribute('fill', color);
    this.#label.textContent = label;
    this.#stripe.setAttribute('visibility', label === '' ? 'visible' : 'hidden');
  }
}

function set(element: SVGElement, attributes: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}
