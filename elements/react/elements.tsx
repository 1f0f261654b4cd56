import type { Ref, RefObject } from 'react';
import type { ElementOptions, ElementType, StrongroomElements, VaultElement } from 'strongroom-elements';
import { type ElementHandlers, useElement } from './use-element.ts';

export interface ElementProps extends Omit<ElementOptions, 'targetId'>, ElementHandlers {
  /** The id of the element in the page, for a label. It is also its `targetId`. */
  readonly id: string;
  /** The instance, required if there is no provider. */
  readonly strongroom?: StrongroomElements | undefined;
  /** Another element whose value this one shows. */
  readonly valueRef?: RefObject<VaultElement | null> | undefined;
  readonly ref?: Ref<VaultElement | null> | undefined;
}

function createComponent(type: ElementType) {
  return function StrongroomElement({ id, strongroom, valueRef, ref, ...props }: ElementProps) {
    const { onReady, onChange, onFocus, onBlur, onKeyDown, onClick, onCopy, ...options } = props;
    const handlers = { onReady, onChange, onFocus, onBlur, onKeyDown, onClick, onCopy };
    const container = useElement({
      type,
      options: { ...options, targetId: id },
      strongroom,
      valueRef,
      ref,
      ...handlers,
    });
    return <div id={id} ref={container} />;
  };
}

export const CardElement = createComponent('card');
export const CardNumberElement = createComponent('cardNumber');
export const CardExpirationDateElement = createComponent('cardExpirationDate');
export const CardVerificationCodeElement = createComponent('cardVerificationCode');
export const TextElement = createComponent('text');
export const CopyButtonElement = createComponent('copyButton');
