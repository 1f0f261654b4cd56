interface CopyControlParts {
  readonly textOf: () => string;
  readonly onCopy: () => void;
  readonly onClick?: () => void;
  readonly label?: string;
}

/** A button that copies a value to the clipboard. The page learns that it was copied, but not the value. */
export class CopyControl {
  readonly button = document.createElement('button');
  /** The text that screen readers announce after copying. They do not announce a changed button label. */
  readonly status = document.createElement('span');
  #label: string;
  #successColor = '';

  constructor({ textOf, onCopy, onClick, label = 'Copy' }: CopyControlParts) {
    this.#label = label;
    const { button } = this;
    button.type = 'button';
    button.className = 'button';
    button.textContent = label;
    this.status.role = 'status';
    this.status.className = 'unseen';
    button.addEventListener('click', () => {
      onClick?.();
      const text = textOf();
      if (text === '') return;
      void navigator.clipboard.writeText(text).then(
        () => {
          this.#confirm();
          onCopy();
        },
        () => this.#say('Not copied'),
      );
    });
  }

  update({ size, color, successColor }: Readonly<Record<string, string>>): void {
    this.button.style.setProperty('font-size', size ?? '');
    this.button.style.setProperty('color', color ?? '');
    this.#successColor = successColor ?? '';
  }

  setLabel(label: string): void {
    this.#label = label;
    this.button.textContent = label;
  }

  #confirm(): void {
    this.button.style.setProperty('border-color', this.#successColor);
    this.#say('Copied');
  }

  #say(text: string): void {
    const { button, status } = this;
    button.textContent = text;
    status.textContent = text;
    setTimeout(() => {
      button.textContent = this.#label;
      status.textContent = '';
    }, 1_500);
  }
}
