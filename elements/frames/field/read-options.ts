import type { CardType } from '../../cards/card-type.ts';
import { type ElementType, elementTypes } from '../../protocol/element-type.ts';
import type {
  FieldChange,
  FieldLook,
  FieldRules,
  FieldSetup,
  MaskSlot,
  Pattern,
} from '../../protocol/field-options.ts';
import { isRecord, readFlag, readInteger, readText, readTexts } from '../../protocol/parse.ts';
import { isSafePattern } from './safe-pattern.ts';
import { isSafeReplacement } from './safe-transform.ts';

/** An invalid option from a page. The message goes to the page. */
export class OptionError extends Error {}

const textMax = 500;

type Reader<T> = (value: unknown) => T | undefined;
type Readers<Options> = { readonly [Name in keyof Options]-?: Reader<NonNullable<Options[Name]>> };

const short: Reader<string> = (value) => readText(value, textMax);
const shortOrParts = (value: unknown) => short(value) ?? readTexts(value, textMax);

const lookReaders: Readers<FieldLook> = {
  ariaLabel: shortOrParts,
  ariaDescription: short,
  ariaRequired: readFlag,
  title: short,
  autoComplete: shortOrParts,
  inputMode: short,
  placeholder: shortOrParts,
  disabled: readFlag,
  readOnly: readFlag,
  iconPosition: (value) => (value === 'left' || value === 'right' || value === 'none' ? value : undefined),
  copyIconStyles: (value) => readTexts(value, 50),
  style: readStyle,
  text: short,
  password: readFlag,
  texts: (value) => readTexts(value, 200),
  autoAdvance: readFlag,
};

const ruleReaders: Readers<FieldRules> = {
  validateOnChange: readFlag,
  skipLuhnValidation: readFlag,
  cardTypes: (value) => readList(value, 40, readCardType),
  cardBrand: short,
  maxElapsedExpirationYear: (value) => readInteger(value, { min: 0, max: 100 }),
  mask: (value) => readList(value, 100, readSlot),
  transform: readTransform,
  validation: readPattern,
  maxLength: (value) => readInteger(value, { min: 0, max: 10_000 }),
  showSpacing: readFlag,
};

export function readSetup(value: unknown): FieldSetup {
  if (!isRecord(value)) throw new OptionError('The element has no options.');
  const type = elementTypes.find((name) => name === value['type']);
  if (type === undefined) throw new OptionError('There is no such element.');
  return {
    type,
    targetId: readText(value['targetId'], 200) ?? type,
    ...readChange(value, type),
    enableCopy: readFlag(value['enableCopy']),
    direction: (['ltr', 'rtl'] as const).find((name) => name === value['direction']),
    lang: readText(value['lang'], 50),
  };
}

/** Parses options. Options of other elements are ignored because the published clients pass some to every element. */
export function readChange(value: unknown, type: ElementType): FieldChange {
  if (!isRecord(value)) throw new OptionError('The element has no options.');
  return {
    ...readAll(value, lookReaders),
    ...readAll(value, type === 'text' || type.startsWith('card') ? ruleReaders : {}),
    ...(value['value'] === undefined ? {} : { value: value['value'] }),
  };
}

/** Parses all options. A member that is present but undefined resets an option. */
function readAll<Options>(
  value: Readonly<Record<string, unknown>>,
  readers: Partial<Readers<Options>>,
): Partial<Options> {
  const options: Partial<Record<string, unknown>> = {};
  for (const [name, reader] of Object.entries<Reader<unknown> | undefined>(readers)) {
    if (reader === undefined || !Object.hasOwn(value, name)) continue;
    const given = value[name];
    const read = given === undefined || given === null ? undefined : reader(given);
    if (read === undefined && given !== undefined && given !== null) throw new OptionError(`${name} is not valid.`);
    options[name] = read;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return options as Partial<Options>;
}

function readList<T>(value: unknown, lengthMax: number, read: Reader<T>): readonly T[] | undefined {
  if (!Array.isArray(value) || value.length > lengthMax) return undefined;
  const items = value.map(read);
  return items.every((item): item is Awaited<T> & NonNullable<T> => item !== undefined) ? items : undefined;
}

function readPattern(value: unknown): Pattern | undefined {
  if (!isRecord(value)) return undefined;
  const source = readText(value['source'], 200);
  const flags = readText(value['flags'], 8);
  return source !== undefined && flags !== undefined && isSafePattern({ source, flags })
    ? { source, flags }
    : undefined;
}

function readSlot(value: unknown): MaskSlot | undefined {
  return typeof value === 'string' ? readText(value, 1) : readPattern(value);
}

function readTransform(value: unknown): FieldRules['transform'] {
  if (!isRecord(value)) return undefined;
  const pattern = readPattern(value['pattern']);
  const replacement = readText(value['replacement'], 50);
  if (pattern === undefined || replacement === undefined || !isSafeReplacement(replacement)) return undefined;
  return { pattern, replacement };
}

function readCardType(value: unknown): CardType | undefined {
  if (!isRecord(value) || !isRecord(value['code'])) return undefined;
  const type = readText(value['type'], 50);
  const niceType = readText(value['niceType'], 50);
  const name = readText(value['code']['name'], 20);
  const size = readInteger(value['code']['size'], { min: 3, max: 4 });
  const lengths = readList(value['lengths'], 20, (item) => readInteger(item, { min: 12, max: 19 }));
  const gaps = readList(value['gaps'], 20, (item) => readInteger(item, { min: 1, max: 19 }));
  const patterns = readList(value['patterns'], 200, readPrefix);
  if (type === undefined || niceType === undefined || name === undefined || size === undefined) return undefined;
  if (lengths === undefined || gaps === undefined || patterns === undefined) return undefined;
  return { type, niceType, patterns, lengths, gaps, code: { name, size } };
}

/** Parses a prefix of at most eight digits, so that a pattern cannot reveal more than the BIN. */
function readPrefix(value: unknown): number | readonly [number, number] | undefined {
  const limits = { min: 0, max: 99_999_999 };
  if (!Array.isArray(value)) return readInteger(value, limits);
  const [first, last] = [readInteger(value[0], limits), readInteger(value[1], limits)];
  if (first === undefined || last === undefined || String(first).length !== String(last).length) return undefined;
  return [first, last];
}

function readStyle(value: unknown): FieldLook['style'] {
  if (!isRecord(value)) return undefined;
  const variants: Record<string, Record<string, string | Readonly<Record<string, string>>>> = {};
  for (const [variant, rules] of Object.entries(value)) {
    if (!isRecord(rules)) continue;
    const read: Record<string, string | Readonly<Record<string, string>>> = {};
    for (const [name, rule] of Object.entries(rules).slice(0, 60)) {
      const text = typeof rule === 'number' ? String(rule) : readText(rule, 200);
      const nested = readTexts(rule, 200);
      if (text !== undefined) read[name] = text;
      else if (nested !== undefined) read[name] = nested;
    }
    variants[variant] = read;
  }
  return variants;
}
