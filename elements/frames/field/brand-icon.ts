type Mark = readonly (readonly [color: string, outline: string])[];
type Marks = Readonly<Record<string, Mark>>;

/** The marks are in a file of their own, next to this script, which is loaded when a brand is known for the first time. */
const file = './marks.js';
/** A card with a magnetic stripe, shown while the brand is unknown or has no mark. */
const blank: Mark = [
  ['#8a93a3', 'M40 0H740a40 40 0 0 1 40 40V460a40 40 0 0 1-40 40H40a40 40 0 0 1-40-40V40A40 40 0 0 1 40 0'],
  ['#c3c8d1', 'M0 100H780V210H0z'],
];
let loading: Promise<Marks> | undefined;

/** Shows the brand of a card as its mark. Nothing is loaded from other origins, and an image could not be checked. */
export class BrandIcon {
  readonly element = createSvg('svg', { viewBox: '0 0 780 500', class: 'icon', 'aria-hidden': 'true' });
  #shown: string | undefined = 'none yet';

  constructor() {
    this.show(undefined);
  }

  show(brand: string | undefined): void {
    if (brand === this.#shown) return;
    this.#shown = brand;
    this.element.dataset['brand'] = 'unknown';
    this.#draw(blank);
    if (brand === undefined) return;
    void loadMarks().then((marks) => {
      const mark = Object.hasOwn(marks, brand) ? marks[brand] : undefined;
      // The number may have changed while the file was loading.
      if (mark === undefined || this.#shown !== brand) return;
      this.element.dataset['brand'] = brand;
      this.#draw(mark);
    });
  }

  #draw(mark: Mark): void {
    this.element.replaceChildren(...mark.map(([fill, d]) => createSvg('path', { fill, d })));
  }
}

/** Loads the marks once. If that fails, cards stay blank, and the next brand tries again. */
function loadMarks(): Promise<Marks> {
  loading ??= import(/* @vite-ignore */ file).then(
    ({ marks }: { readonly marks: Marks }) => marks,
    () => {
      loading = undefined;
      return {};
    },
  );
  return loading;
}

function createSvg(name: 'svg' | 'path', attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}
