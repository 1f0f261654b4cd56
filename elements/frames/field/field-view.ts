import type { FieldLook, FieldSetup } from '../../protocol/field-options.ts';
import { createSheet } from './appearance.ts';
import { BrandIcon } from './brand-icon.ts';
import { CopyControl } from './copy-control.ts';
import type { InputField } from './input-field.ts';
import { type PartName, targetOf, traitsOf } from './part.ts';
import { ProblemNotes } from './problems/problem-notes.ts';

/** The view of a field: inputs, icon and copy button in the frame's document. */
export class FieldView {
  readonly #field: InputField;
  readonly #icon: BrandIcon | undefined;
  readonly #copy: CopyControl | undefined;
  readonly #notes: ProblemNotes;

  constructor(field: InputField, onCopy: () => void) {
    this.#field = field;
    const { setup, boxes } = field;
    if (boxes.has('number')) this.#icon = new BrandIcon();
    if (setup.enableCopy === true) this.#copy = new CopyControl({ textOf: () => this.#textToCopy(), onCopy });
    document.body.classList.toggle('several', boxes.size > 1);
    this.#notes = new ProblemNotes(field);
    document.body.append(
      ...(this.#icon === undefined ? [] : [this.#icon.element]),
      ...[...boxes.values()].map(({ input }) => input),
      ...(this.#copy === undefined ? [] : [this.#copy.button, this.#copy.status]),
      ...this.#notes.elements,
    );
    this.update();
  }

  /** Updates the view after options have changed. */
  update(): void {
    const { setup, boxes } = this.#field;
    document.title = setup.title ?? titleOf(setup);
    showSurroundings(setup);
    for (const [name, box] of boxes) dress(box.input, name, setup);
    const { iconPosition = 'left', style = {}, copyIconStyles } = setup;
    for (const side of ['left', 'right', 'none']) document.body.classList.toggle(`icon-${side}`, side === iconPosition);
    document.adoptedStyleSheets = [createSheet(style)];
    this.#copy?.update(copyIconStyles ?? {});
    this.showState();
  }

  /** Updates the view after the value has changed. */
  showState(): void {
    const { empty, complete, errors = [] } = this.#field.state;
    const { classList } = document.body;
    classList.toggle('empty', empty);
    classList.toggle('complete', complete && !empty);
    classList.toggle('invalid', errors.length > 0);
    for (const [name, box] of this.#field.boxes) {
      const target = targetOf(name, this.#field.setup);
      box.input.ariaInvalid = String(errors.some(({ targetId }) => targetId === target));
    }
    this.#notes.update(errors);
    this.#icon?.show(this.#field.brand);
  }

  #textToCopy(): string {
    const [box] = this.#field.boxes.values();
    return this.#field.setup.type === 'text' || this.#field.setup.type === 'cardExpirationDate'
      ? (box?.input.value ?? '')
      : (box?.kept ?? '');
  }
}

function titleOf({ type, ariaLabel }: FieldSetup): string {
  return (typeof ariaLabel === 'string' ? ariaLabel : undefined) ?? (type === 'card' ? 'Card' : 'Secure field');
}

/** Sets the direction and language. Labels from the page are in its language. Default labels are in English. */
function showSurroundings({ direction, lang, ariaLabel }: FieldSetup): void {
  const { documentElement } = document;
  documentElement.dir = direction ?? 'ltr';
  documentElement.lang = ariaLabel === undefined ? 'en' : (lang ?? 'en');
}

function dress(input: HTMLInputElement, name: PartName, setup: FieldSetup): void {
  const traits = traitsOf[name];
  const isSingleField = setup.type !== 'card';
  input.className = traits.className;
  input.type = setup.password === true ? 'password' : 'text';
  input.ariaLabel = partOf(setup.ariaLabel, traits.names, isSingleField) ?? traits.label;
  input.ariaDescription = setup.ariaDescription ?? null;
  input.ariaRequired = setup.ariaRequired === true ? 'true' : null;
  input.placeholder = partOf(setup.placeholder, traits.names, isSingleField) ?? traits.placeholder;
  const autoComplete = partOf(setup.autoComplete, traits.names, isSingleField) ?? traits.autoComplete;
  input.setAttribute('autocomplete', autoComplete);
  input.name = autoComplete;
  input.setAttribute('autocapitalize', autoComplete.endsWith('name') ? 'words' : 'off');
  // Digits are written from left to right in every script.
  if (name !== 'text') input.dir = 'ltr';
  input.inputMode = setup.inputMode ?? traits.inputMode;
  input.disabled = setup.disabled === true;
  input.readOnly = setup.readOnly === true;
}

function partOf(
  option: FieldLook['placeholder'],
  names: readonly string[],
  isSingleField: boolean,
): string | undefined {
  if (typeof option === 'string') return isSingleField ? option : undefined;
  return names.map((name) => option?.[name]).find((text) => text !== undefined);
}
