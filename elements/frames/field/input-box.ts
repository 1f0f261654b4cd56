import { type ReportedKey, reportedKeys } from '../../protocol/reported-key.ts';
import type { InputKind, Judgement } from './kinds/input-kind.ts';
import { settleEdit } from './settle-edit.ts';

export interface InputBoxEvents {
  readonly onChange: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
  readonly onKey: (key: ReportedKey) => void;
  /** A character was typed at the end. */
  readonly onEntered: () => void;
}

/** One input of a field and its value. */
export class InputBox {
  readonly input = document.createElement('input');
  #kind: InputKind;
  #kept = '';
  #isTouched = false;
  #hasBeenUsed = false;
  #hasJustArrived = false;

  constructor(kind: InputKind, { onChange, onFocus, onBlur, onKey, onEntered }: InputBoxEvents) {
    this.#kind = kind;
    const { input } = this;
    input.type = 'text';
    input.spellcheck = false;
    input.setAttribute('autocorrect', 'off');
    input.addEventListener('input', (event) => {
      const inputType = event instanceof InputEvent ? event.inputType : '';
      this.#take(inputType);
      onChange();
      if (inputType === 'insertText' && input.selectionStart === input.value.length) onEntered();
    });
    // A value dragged out of the frame would be dropped into the page.
    input.addEventListener('dragstart', (event) => event.preventDefault());
    // Some password managers only trigger this event.
    input.addEventListener('change', () => {
      if (input.value === this.#kind.show(this.#kept)) return;
      this.#take('');
      onChange();
    });
    input.addEventListener('focus', onFocus);
    input.addEventListener('blur', () => {
      this.#hasJustArrived = false;
      this.#isTouched ||= this.#kept !== '';
      onBlur();
      onChange();
    });
    input.addEventListener('keydown', (event) => {
      const { key, altKey, ctrlKey, shiftKey, metaKey } = event;
      // Somebody who is used to pressing Tab would skip this input.
      if (key === 'Tab' && !shiftKey && this.#hasJustArrived) event.preventDefault();
      this.#hasJustArrived = false;
      const reported = reportedKeys.find((name) => name === key);
      if (reported !== undefined) onKey({ key: reported, altKey, ctrlKey, shiftKey, metaKey });
    });
  }

  get kept(): string {
    return this.#kept;
  }

  /** True if the input has ever had a value. Its rules are fixed from then on. */
  get hasBeenUsed(): boolean {
    return this.#hasBeenUsed;
  }

  /**
   * True if errors are shown. Until the input has been touched, they are hidden because they would distract the user
   * while typing.
   */
  get isTouched(): boolean {
    return this.#isTouched;
  }

  touch(): void {
    this.#isTouched = true;
  }

  /** Takes the focus from an input that is complete. */
  arrive(): void {
    this.input.focus();
    this.#hasJustArrived = true;
  }

  judge(): Judgement {
    return this.#kind.judge(this.#kept, new Date());
  }

  /** Changes the rules. They can depend on another input: the length of a code depends on the brand. */
  changeKind(kind: InputKind): void {
    this.#kind = kind;
    // The value is not truncated. If a code has become too long, the user must see the error.
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

  /** Processes text that was typed, pasted or filled in. */
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
