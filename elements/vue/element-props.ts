import type { ElementOptions, StrongroomElements, VaultElement } from 'strongroom-elements';
import { copyPlain } from '../wrappers/copy-plain.ts';

type AriaOptions = 'aria-label' | 'aria-description' | 'aria-required';

/** The properties of a component. Vue passes `aria-label` as `ariaLabel`. */
export interface ElementProps extends Omit<ElementOptions, 'targetId' | AriaOptions> {
  /** The id of the element in the page, for a label. It is also its `targetId`. */
  readonly id: string;
  readonly ariaLabel?: ElementOptions['aria-label'];
  readonly ariaDescription?: ElementOptions['aria-description'];
  readonly ariaRequired?: ElementOptions['aria-required'];
  /** The instance, required if no component outside uses `useStrongroom`. */
  readonly strongroom?: StrongroomElements | undefined;
  /** Another element whose value this one shows. */
  readonly valueRef?: VaultElement | undefined;
}

/** Properties that are true if a template only names them. Vue has to know these. */
const flags = [
  'ariaRequired',
  'disabled',
  'readOnly',
  'password',
  'autoAdvance',
  'enableCopy',
  'validateOnChange',
  'skipLuhnValidation',
  'showSpacing',
] as const satisfies readonly (keyof ElementProps)[];
const others = [
  'id',
  'strongroom',
  'valueRef',
  'ariaLabel',
  'ariaDescription',
  'title',
  'autoComplete',
  'inputMode',
  'placeholder',
  'iconPosition',
  'copyIconStyles',
  'style',
  'text',
  'texts',
  'cardTypes',
  'cardBrand',
  'maxElapsedExpirationYear',
  'mask',
  'transform',
  'validation',
  'maxLength',
  'value',
] as const satisfies readonly (keyof ElementProps)[];

export const propTypes: Readonly<Record<string, object>> = {
  ...Object.fromEntries(others.map((name) => [name, { default: undefined }])),
  ...Object.fromEntries(flags.map((name) => [name, { type: Boolean, default: undefined }])),
};

export function toOptions(props: ElementProps): ElementOptions {
  const { id, strongroom: _, valueRef: __, ariaLabel, ariaDescription, ariaRequired, ...plain } = props;
  const options: Readonly<Record<string, unknown>> = {
    ...plain,
    targetId: id,
    'aria-label': ariaLabel,
    'aria-description': ariaDescription,
    'aria-required': ariaRequired,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, copyPlain(value)]));
}
