import type { ProblemReason } from '../../../protocol/element-state.ts';
import type { FieldSetup } from '../../../protocol/field-options.ts';
import { type PartName, targetOf } from '../part.ts';
import { english, type Texts } from './english.ts';

/** Other languages are in a file of their own, next to this script. Most pages do not need it. */
const others = './texts.js';

/** The sentences for problems, in the language of the page. */
export class ProblemTexts {
  #texts = english;
  #lang = 'en';

  /** The language of the vault's own sentences. */
  get lang(): string {
    return this.#lang;
  }

  /** Loads another language. If that fails, the sentences stay English. Returns true if they have changed. */
  async load(lang = 'en'): Promise<boolean> {
    const [language = 'en'] = lang.toLowerCase().split('-');
    if (language === 'en') return false;
    const loaded: { readonly texts: Readonly<Record<string, Texts>> } | undefined = await import(
      /* @vite-ignore */ others
    ).catch(() => undefined);
    if (loaded === undefined || !Object.hasOwn(loaded.texts, language)) return false;
    this.#texts = loaded.texts[language] ?? english;
    this.#lang = language;
    return true;
  }

  /** Returns the sentence of the page, if it has one, or that of the vault. */
  textOf(name: PartName, reason: ProblemReason, setup: FieldSetup): string {
    const { texts = {} } = setup;
    const own = [`${targetOf(name, setup)}.${reason}`, reason].find((key) => Object.hasOwn(texts, key));
    return (own === undefined ? this.#texts[name][reason] : texts[own]) ?? '';
  }
}
