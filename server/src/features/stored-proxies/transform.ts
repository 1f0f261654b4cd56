import type { Template } from '../../core/expressions/template.ts';
import type { TransformLocation } from './transform-location.ts';
import type { MaskPattern } from './mask-pattern.ts';
import type { GivenTransform } from './stored-proxy.ts';

/** A change to a request or a response, ready to be applied. */
export type ProxyTransform =
  | {
      readonly type: 'tokenize';
      readonly location: TransformLocation;
      /** The create-token request, in which `{{ value }}` is the value found. */
      readonly token: GivenTransform;
      /** The name of the token in the expression. */
      readonly identifier: string;
      readonly value: Template;
    }
  | { readonly type: 'detokenize'; readonly location: TransformLocation }
  | { readonly type: 'mask'; readonly pattern: MaskPattern; readonly replacement: string }
  | { readonly type: 'append_header'; readonly name: string; readonly value: Template }
  | { readonly type: 'append_json'; readonly location: TransformLocation; readonly value: Template }
  | { readonly type: 'append_text'; readonly value: Template }
  | { readonly type: 'remove'; readonly location: TransformLocation };

export const transformTypes = [
  'tokenize',
  'detokenize',
  'mask',
  'append_header',
  'append_json',
  'append_text',
  'remove',
] as const satisfies readonly ProxyTransform['type'][];

/** The message that a transform changes. */
export type TransformSide = 'request' | 'response';
