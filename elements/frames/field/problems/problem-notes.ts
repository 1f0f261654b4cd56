import type { FieldError } from '../../../protocol/element-state.ts';
import type { InputField } from '../input-field.ts';
import { targetOf } from '../part.ts';

/**
 * The sentences for problems in the frame. They describe the inputs to screen readers, which announce them when they
 * appear. The page shows them to everybody else.
 */
export class ProblemNotes {
  readonly #field: InputField;
  readonly #notes = new Map<string, HTMLElement>();

  constructor(field: InputField) {
    this.#field = field;
    for (const [name, { input }] of field.boxes) {
      const note = document.createElement('span');
      note.id = `problem-${name}`;
      note.className = 'unseen';
      note.ariaLive = 'polite';
      input.setAttribute('aria-describedby', note.id);
      this.#notes.set(targetOf(name, field.setup), note);
    }
  }

  get elements(): readonly HTMLElement[] {
    return [...this.#notes.values()];
  }

  /** Shows the sentences for the errors that are shown. */
  update(errors: readonly FieldError[]): void {
    const { problems, setup, texts } = this.#field;
    for (const [target, note] of this.#notes) {
      const problem = errors.some(({ targetId }) => targetId === target)
        ? problems.find(({ targetId }) => targetId === target)
        : undefined;
      // A description by another element takes the place of the one that the page set.
      const text = [problem?.message, setup.ariaDescription].filter((part) => part !== undefined).join(' ');
      note.lang = setup.texts === undefined ? texts.lang : (setup.lang ?? texts.lang);
      if (note.textContent !== text) note.textContent = text;
    }
  }
}
