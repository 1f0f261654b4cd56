import type { ElementState, FieldError, FieldProblem } from '../../protocol/element-state.ts';
import { type FieldChange, fieldRuleNames, type FieldSetup } from '../../protocol/field-options.ts';
import type { FieldValue } from '../../protocol/messages.ts';
import type { ReportedKey } from '../../protocol/reported-key.ts';
import { InputBox, type InputBoxEvents } from './input-box.ts';
import { findCardType } from './kinds/card-number.ts';
import { createVerificationCodeKind } from './kinds/verification-code.ts';
import type { InputKind } from './kinds/input-kind.ts';
import { transformText } from './safe-transform.ts';
import { kindOf, type PartName, partsOf, targetOf } from './part.ts';
import { ShownDigits } from './shown-digits.ts';
import { findPageTexts } from './page-value.ts';
import { reasonOf } from './problems/problem-reason.ts';
import { ProblemTexts } from './problems/problem-texts.ts';

export interface FieldEvents {
  readonly onChange: () => void;
  readonly onFocus: (targetId: string) => void;
  readonly onBlur: (targetId: string) => void;
  readonly onKey: (targetId: string, key: ReportedKey) => void;
  /** The last input is complete, and the page wants the focus to move on. */
  readonly onFull: () => void;
}

/** The inputs of one element, their values, and the state that the page may know. */
export class InputField {
  readonly boxes: ReadonlyMap<PartName, InputBox>;
  readonly texts = new ProblemTexts();
  readonly #shownDigits = new ShownDigits();
  #setup: FieldSetup;
  #isFilledByReference = false;
  /** The brand of the number in another element. */
  #brandBeside: string | undefined;

  constructor(setup: FieldSetup, events: FieldEvents) {
    this.#setup = setup;
    const names = setup.type === 'copyButton' ? [] : partsOf[setup.type];
    const onChange = () => {
      this.#fitCode();
      this.#noticeEmpty();
      events.onChange();
    };
    const listen = (name: PartName): InputBoxEvents => ({
      onChange,
      onFocus: () => events.onFocus(targetOf(name, setup)),
      onBlur: () => events.onBlur(targetOf(name, setup)),
      onKey: (key) => events.onKey(targetOf(name, setup), key),
      onEntered: () => this.#advance(name, events.onFull),
    });
    this.boxes = new Map(names.map((name) => [name, new InputBox(kindOf[name](setup), listen(name))]));
    this.#setFromPage(setup.value);
  }

  get setup(): FieldSetup {
    return this.#setup;
  }

  /** Changes options. Returns the names of options that could not change because the field already had a value. */
  update(change: FieldChange): readonly string[] {
    const isUsed = [...this.boxes.values()].some((box) => box.hasBeenUsed);
    const ignored = isUsed ? fieldRuleNames.filter((name) => isOther(change, this.#setup, name)) : [];
    const kept = Object.fromEntries(ignored.map((name) => [name, this.#setup[name]]));
    this.#setup = { ...this.#setup, ...change, ...kept };
    for (const [name, box] of this.boxes) box.changeKind(this.#kindOf(name));
    this.#fitCode();
    if (Object.hasOwn(change, 'value')) this.#setFromPage(change.value);
    return ignored;
  }

  get value(): FieldValue {
    const kept = (name: PartName) => this.boxes.get(name)?.kept ?? '';
    const [month, year] = [kept('date').slice(0, 2), kept('date').slice(2)];
    if (this.#setup.type === 'card') return { kind: 'card', number: kept('number'), month, year, code: kept('code') };
    if (this.#setup.type === 'cardExpirationDate') return { kind: 'date', month, year };
    const [box] = this.boxes.values();
    const { transform } = this.#setup;
    const text = box?.kept ?? '';
    if (transform === undefined || this.#isFilledByReference || this.#setup.type !== 'text')
      return { kind: 'text', text };
    return { kind: 'text', text: transformText(text, transform) };
  }

  /**
   * Sets a value that came from another frame of the vault. The page's rules do not apply to it. If a page could
   * truncate or change the value in a series of fields, each field would show it another four digits.
   */
  fill(value: FieldValue): void {
    this.#isFilledByReference = true;
    for (const [name, box] of this.boxes) {
      box.changeKind(this.#kindOf(name));
      box.set(textFor(name, value));
    }
    this.#noticeEmpty();
    this.#fitCode();
  }

  /** The number whose first and last digits the page has seen. */
  get shownDigits(): string | undefined {
    return this.#shownDigits.shown;
  }

  /**
   * Notes that the page received a token whose number is a prefix of this one, and thus saw its first and last digits.
   */
  noteToken(digits: string): void {
    const kept = this.boxes.get('number')?.kept ?? '';
    if (kept.startsWith(digits)) this.#shownDigits.noteToken(digits);
  }

  /** Notes the brand of the number in another element, on which the length of a code depends. */
  noteBrand(brand: string | undefined): void {
    this.#brandBeside = brand;
    this.#fitCode();
  }

  validate(): void {
    for (const box of this.boxes.values()) box.touch();
  }

  clear(): void {
    for (const box of this.boxes.values()) box.clear();
    this.#noticeEmpty();
  }

  /**
   * All errors, even those not shown yet. A value with errors does not go into a token. A value that was filled in by
   * reference has no errors here, because the vault validates it.
   */
  get errors(): readonly FieldError[] {
    if (this.#isFilledByReference) return [];
    return this.#listErrors(() => true);
  }

  /** All problems with their sentences, even those that are not shown yet. */
  get problems(): readonly FieldProblem[] {
    if (this.#isFilledByReference) return [];
    return [...this.boxes].flatMap(([name, box]) => {
      const { error } = box.judge();
      if (error === undefined) return [];
      const reason = reasonOf(name, { kept: box.kept, error, brand: this.brand });
      const message = this.texts.textOf(name, reason, this.#setup);
      return [{ targetId: targetOf(name, this.#setup), reason, message }];
    });
  }

  get state(): ElementState {
    const judged = [...this.boxes.values()].map((box) => box.judge());
    const empty = this.#isEmpty;
    if (this.#isFilledByReference) return { empty, complete: true, ...this.#brandState({ isKnown: false }) };
    const errors = this.#listErrors((box) => this.#setup.validateOnChange === true || box.isTouched);
    return {
      empty,
      complete: judged.every(({ isComplete }) => isComplete),
      valid: judged.every(({ error }) => error === undefined),
      ...(this.#setup.type === 'text'
        ? { maskSatisfied: judged.every(({ isMaskSatisfied = true }) => isMaskSatisfied) }
        : {}),
      ...(errors.length > 0 ? { errors } : {}),
      ...this.#brandState({ isKnown: true }),
    };
  }

  get brand(): string | undefined {
    const number = this.boxes.get('number');
    return number === undefined ? undefined : findCardType(number.kept, this.#setup)?.type;
  }

  get #isEmpty(): boolean {
    return [...this.boxes.values()].every(({ kept }) => kept === '');
  }

  #brandState({ isKnown }: { readonly isKnown: boolean }): Partial<ElementState> {
    const number = this.boxes.get('number');
    if (number === undefined) return {};
    if (!isKnown) return { cardBrand: 'unknown' };
    const isFocused = document.activeElement === number.input;
    return { cardBrand: this.brand ?? 'unknown', ...this.#shownDigits.of(number.kept, isFocused) };
  }

  /** Moves the focus on from an input that somebody has completed. */
  #advance(name: PartName, onFull: () => void): void {
    const { autoAdvance = this.#setup.type === 'card' } = this.#setup;
    const box = this.boxes.get(name);
    // A page sees which field has the focus. For a value that it filled in by reference, that would tell it whether the
    // value is valid.
    if (!autoAdvance || this.#isFilledByReference || box === undefined || !isFull(name, box)) return;
    const boxes = [...this.boxes.values()];
    const next = boxes[boxes.indexOf(box) + 1];
    if (next === undefined) onFull();
    else if (next.kept === '') next.arrive();
  }

  #listErrors(isListed: (box: InputBox) => boolean): FieldError[] {
    return [...this.boxes].flatMap(([name, box]) => {
      const { error } = box.judge();
      if (error === undefined || !isListed(box)) return [];
      return [{ targetId: targetOf(name, this.#setup), type: error }];
    });
  }

  /** Adjusts the length of the code to the number in this element or, unless the page sets a brand, beside it. */
  #fitCode(): void {
    const code = this.boxes.get('code');
    if (code === undefined) return;
    const rules: Pick<FieldSetup, 'cardTypes' | 'cardBrand'> = this.#isFilledByReference ? {} : this.#setup;
    const cardBrand = this.#setup.type === 'card' ? this.brand : rules.cardBrand;
    const brandBeside = this.#isFilledByReference ? undefined : this.#brandBeside;
    code.changeKind(createVerificationCodeKind({ cardTypes: rules.cardTypes, cardBrand, brandBeside }));
  }

  #setFromPage(value: unknown): void {
    if (value === undefined) return;
    const texts = findPageTexts(value);
    this.#isFilledByReference = false;
    for (const [name, box] of this.boxes) {
      // The value is cleared first, so that the page's rules are never applied to a value filled in by reference.
      box.set('');
      box.changeKind(this.#kindOf(name));
      box.set(texts[name] ?? '');
    }
    this.#fitCode();
  }

  /**
   * Restores the page's rules, which apply to typed text, after a value that was filled in by reference has been
   * cleared.
   */
  #noticeEmpty(): void {
    if (!this.#isEmpty || !this.#isFilledByReference) return;
    this.#isFilledByReference = false;
    for (const [name, box] of this.boxes) box.changeKind(this.#kindOf(name));
    this.#fitCode();
  }

  #kindOf(name: PartName): InputKind {
    return kindOf[name](this.#isFilledByReference ? withoutRules(this.#setup) : this.#setup);
  }
}

/** Few numbers have more than 16 digits, but codes of unknown brands have three or four, so those are never full. */
function isFull(name: PartName, box: InputBox): boolean {
  if (name === 'code' || name === 'text' || !box.judge().isComplete) return false;
  return name === 'date' || box.kept.length === 16 || findCardType(box.kept, {})?.type === 'american-express';
}

function withoutRules(setup: FieldSetup): FieldSetup {
  const { type, targetId, showSpacing } = setup;
  return { type, targetId, showSpacing };
}

function isOther(change: FieldChange, setup: FieldSetup, name: (typeof fieldRuleNames)[number]): boolean {
  if (!Object.hasOwn(change, name) || name === 'cardBrand') return false;
  return JSON.stringify(change[name]) !== JSON.stringify(setup[name]);
}

function textFor(name: PartName, value: FieldValue): string {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'date':
      return name === 'date' ? `${value.month}${value.year}` : `${value.month}/${value.year}`;
    case 'card':
      if (name === 'date') return `${value.month}${value.year}`;
      return name === 'code' ? value.code : value.number;
  }
}
