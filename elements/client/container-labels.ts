/**
 * Connects the page's labels with a container. Clicking a label focuses the field, and the label's text becomes the
 * field's accessible name.
 */
export class ContainerLabels {
  readonly #labels: readonly HTMLLabelElement[];
  readonly #focus: () => void;

  constructor(container: Element, focus: () => void) {
    const { id } = container;
    const root = container.getRootNode();
    const found =
      id !== '' && (root instanceof Document || root instanceof ShadowRoot) ? root.querySelectorAll('label') : [];
    this.#labels = [...found].filter(({ htmlFor }) => htmlFor === id);
    this.#focus = focus;
    for (const label of this.#labels) label.addEventListener('click', this.#focus);
  }

  get text(): string | undefined {
    const text = this.#labels.map(({ textContent }) => textContent.trim()).join(' ');
    return text === '' ? undefined : text.slice(0, 200);
  }

  remove(): void {
    for (const label of this.#labels) label.removeEventListener('click', this.#focus);
  }
}
