import type { ElementType } from '../protocol/element-type.ts';
import type {
  FieldChange,
  FieldLook,
  FieldRules,
  MaskSlot,
  Pattern,
  StyleVariants,
} from '../protocol/field-options.ts';

/** Options that are sent to the frame unchanged. */
type PlainOptions = Omit<FieldLook, 'ariaLabel' | 'ariaDescription' | 'ariaRequired' | 'style'> &
  Omit<FieldRules, 'mask' | 'transform' | 'validation'>;

export interface ElementOptions extends PlainOptions {
  readonly targetId?: string | undefined;
  readonly 'aria-label'?: FieldLook['ariaLabel'];
  readonly 'aria-description'?: string | undefined;
  readonly 'aria-required'?: boolean | undefined;
  readonly enableCopy?: boolean | undefined;
  readonly mask?: readonly (RegExp | string)[] | undefined;
  readonly transform?: RegExp | readonly [RegExp, string?] | null | undefined;
  readonly validation?: RegExp | undefined;
  readonly style?: (StyleVariants & { readonly fonts?: readonly string[] }) | object | undefined;
  readonly value?: unknown;
}

/** Options of the public clients that this vault does not support. */
const unavailable: Readonly<Record<string, string>> = {
  binLookup: 'binLookup is not available: the vault looks up no card data elsewhere.',
  coBadgedSupport: 'coBadgedSupport is not available.',
  preSelectedNetworks: 'preSelectedNetworks is not available.',
};

/** Converts options to the form that a field accepts. */
export function toFieldChange(options: ElementOptions): FieldChange {
  const {
    'aria-label': ariaLabel,
    'aria-description': ariaDescription,
    'aria-required': ariaRequired,
    ...rest
  } = options;
  const given = new Map<string, unknown>(Object.entries(rest));
  for (const [name, sentence] of Object.entries(unavailable)) {
    const value = given.get(name);
    if (value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0))
      throw new Error(sentence);
  }
  const { mask, transform, validation, style, targetId: _, enableCopy: __, ...plain } = rest;
  return {
    ...plain,
    ...('aria-label' in options ? { ariaLabel } : {}),
    ...('aria-description' in options ? { ariaDescription } : {}),
    ...('aria-required' in options ? { ariaRequired } : {}),
    ...('mask' in rest ? { mask: mask?.map(toSlot) } : {}),
    ...('transform' in rest ? { transform: toTransform(transform) } : {}),
    ...('validation' in rest ? { validation: validation === undefined ? undefined : toPattern(validation) } : {}),
    ...('style' in rest ? { style: toStyle(style) } : {}),
  };
}

export function requireTargetId(type: ElementType, { targetId }: ElementOptions): void {
  if (targetId === undefined && type !== 'card' && type !== 'copyButton')
    throw new Error(`The ${type} element needs a targetId.`);
}

function toPattern({ source, flags }: RegExp): Pattern {
  return { source, flags: flags.replaceAll(/[gyd]/g, '') };
}

function toSlot(slot: RegExp | string): MaskSlot {
  return typeof slot === 'string' ? slot : toPattern(slot);
}

function toTransform(transform: ElementOptions['transform']): FieldChange['transform'] {
  if (transform === null || transform === undefined) return undefined;
  const [pattern, replacement = ''] = transform instanceof RegExp ? [transform] : transform;
  return { pattern: toPattern(pattern), replacement };
}

/** Removes fonts, because a frame never loads anything from other servers. */
function toStyle(style: ElementOptions['style']): FieldChange['style'] {
  if (style === undefined) return undefined;
  const { fonts, ...variants }: Readonly<Record<string, unknown>> = { ...style };
  if (Array.isArray(fonts) && fonts.length > 0)
    // oxlint-disable-next-line no-console -- For the developer of the page.
    console.warn('Fields load nothing from other servers, so style.fonts has no effect. Use a font of the system.');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The frame validates every value.
  return variants as StyleVariants;
}
