import type { CardType } from '../cards/card-type.ts';
import type { ElementType } from './element-type.ts';

/** A regular expression in a form that messages can carry. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

export type MaskSlot = string | Pattern;

export type StyleRules = Readonly<Record<string, string | Readonly<Record<string, string>>>>;
export type StyleVariants = Readonly<Record<string, StyleRules>>;

/** Options that a page can change at any time. They affect appearance and behaviour, but never validate the value. */
export interface FieldLook {
  readonly ariaLabel?: string | Readonly<Record<string, string>> | undefined;
  readonly ariaDescription?: string | undefined;
  readonly ariaRequired?: boolean | undefined;
  readonly title?: string | undefined;
  readonly autoComplete?: string | Readonly<Record<string, string>> | undefined;
  readonly inputMode?: string | undefined;
  readonly placeholder?: string | Readonly<Record<string, string>> | undefined;
  readonly disabled?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  readonly iconPosition?: 'left' | 'right' | 'none' | undefined;
  readonly copyIconStyles?: Readonly<Record<string, string>> | undefined;
  readonly style?: StyleVariants | undefined;
  readonly text?: string | undefined;
  readonly password?: boolean | undefined;
  /** Sentences that replace those of the vault, by reason (`empty`) or by input and reason (`cvc.empty`). */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** True if a complete entry moves the focus to what comes next. By default, a card element does so within itself. */
  readonly autoAdvance?: boolean | undefined;
}

/**
 * Options that validate or change a value. They are fixed when the field first gets a value, because each later change
 * could be used to probe the value.
 */
export interface FieldRules {
  readonly validateOnChange?: boolean | undefined;
  readonly skipLuhnValidation?: boolean | undefined;
  readonly cardTypes?: readonly CardType[] | undefined;
  readonly cardBrand?: string | undefined;
  readonly maxElapsedExpirationYear?: number | undefined;
  readonly mask?: readonly MaskSlot[] | undefined;
  readonly transform?: { readonly pattern: Pattern; readonly replacement: string } | undefined;
  readonly validation?: Pattern | undefined;
  readonly maxLength?: number | undefined;
  readonly showSpacing?: boolean | undefined;
}

export interface FieldSetup extends FieldLook, FieldRules {
  readonly type: ElementType;
  readonly targetId: string;
  readonly enableCopy?: boolean | undefined;
  /** The text direction of the page around the field. */
  readonly direction?: 'ltr' | 'rtl' | undefined;
  readonly lang?: string | undefined;
  /** A value that the page itself knows. */
  readonly value?: unknown;
}

export type FieldChange = Partial<FieldLook & FieldRules> & { readonly value?: unknown };

export const fieldRuleNames = [
  'validateOnChange',
  'skipLuhnValidation',
  'cardTypes',
  'cardBrand',
  'maxElapsedExpirationYear',
  'mask',
  'transform',
  'validation',
  'maxLength',
  'showSpacing',
] as const satisfies readonly (keyof FieldRules)[];
