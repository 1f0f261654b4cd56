import { type ReportedKey, reportedKeys } from '../../protocol/reported-key.ts';
import type { InputKind, Judgement } from './kinds/input-kind.ts';
import { settleEdit } from './settle-edit.ts';

export interface InputBoxEvents {
  readonly onChange: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
  readonly onKey: (key: ReportedKey) => void;
}

/** One input of a field, with what was typed into it. */
export class InputBox {
  readonly input = document.createElement('input');
  #kind: InputKind;
  #kept = '';
  #isTouched = false;
  #hasBeenUsed = false;

  constructor(kind: InputKind, { onChange, onFocus, onBlur, onKey }: InputBoxEvents) {
    this.#kind = kind;
    const { input } = this;
    input.type = 'text';
    input.spellcheck = false;
    input.setAttribute('autocorrect', 'off');
    input.addEventListener('input', (event) => {
      this.#take(event instanceof InputEvent ? event.inputType : '');
      onChange();
    });
    // Dragged out of the frame, a value would be dropped into the page.
    input.addEventListener('dragstart', (event) => event.preventDefault());
    // Some password managers report nothing but this.
    input.addEventListener('change', () => {
      if (input.value === this.#kind.show(this.#kept)) return;
      this.#take('');
      onChange();
    });
    input.addEventListener('focus', onFocus);
    input.addEventListener('blur', () => {
      this.#isTouched ||= this.#kept !== '';
      onBlur();
      onChange();
    });
    input.addEventListener('keydown', ({ key, altKey, ctrlKey, shiftKey, metaKey }) => {
      const reported = reportedKeys.find((name) => name === key);
      if (reported !== undefined) onKey({ key: reported, altKey, ctrlKey, shiftKey, metaKey });
    });
  }

  get kept(): string {
    return this.#kept;
  }

  /** Whether anything has ever been in it; from then on its rules are fixed. */
  get hasBeenUsed(): boolean {
    return this.#hasBeenUsed;
  }

  /** Whether mistakes are pointed out: nobody wants to read of them while typing. */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  touch(): void {
    this.#isTouched = true;
  }

  judge(): Judgement {
    return this.#kind.judge(this.#kept, new Date());
  }

  /** Rules that depend on another input, such as the length of a code on the brand. */
  changeKind(kind: InputKind): void {
    this.#kind = kind;
    // Nothing is cut off: a code that has become too long is a mistake to point out, not to hide.
    const shown = kind.show(this.#kept);
    if (this.input.value !== shown) this.input.value = shown;
  }

  set(text: string): void {
    this.#kept = this.#kind.clean(text);
    this.#hasBeenUsed ||= this.#kept !== '';
    this.input.value = this.#kind.show(this.#kept);
  }

  clear(): void {
    this.set('');
    this.#isTouched = false;
  }

  /** Takes over what was typed, pasted or filled in. */
  #take(inputType: string): void {
    const { input } = this;
    const edit = {
      text: input.value,
      caret: input.selectionStart ?? input.value.length,
      inputType,
      before: this.#kept,
    };
    const { kept, shown, caret } = settleEdit(this.#kind, edit);
    this.#kept = kept;
    this.#hasBeenUsed ||= kept !== '';
    if (shown === input.value) return;
    input.value = shown;
    input.setSelectionRange(caret, caret);
  }
}
