import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import {
  referencesJsonSteps,
  referencesTextSteps,
  type ReferenceSource,
} from '../../../core/expressions/reference-evaluation.ts';
import {
  compileReferences,
  type ReferenceOptions,
  type ReferenceText,
} from '../../../core/expressions/reference-text.ts';
import { mergeUses, type ReferenceUses, usesOf } from '../../../core/expressions/reference-uses.ts';
import { type JsonSource, textPlacesMax } from '../../../core/json/json-source.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { namingField, namingFieldOf } from '../model/request-path.ts';

/** Something with references in it: what they refer to is known before any token is looked at. */
export interface ReferenceTemplate<T> {
  readonly uses: ReferenceUses;
  render(source: ReferenceSource): Promise<T>;
}

/** JSON text: a string that is exactly one reference becomes the value itself, everything else stays as it was spelled. */
export function compileDocument(source: JsonSource, budget: RequestBudget): ReferenceTemplate<string> {
  const { document, textPlaces } = source;
  if (textPlaces.length === textPlacesMax) budget.spend('references', textPlacesMax);
  const texts = textPlaces.map((place) => {
    const field = place.path.join('.') || 'body';
    return { ...place, field, text: compile(place.text, { field, budget }) };
  });
  return {
    uses: mergeUses(texts.map(({ text }) => usesIn(text))),
    async render(tokens) {
      const pieces: string[] = [];
      let at = 0;
      for (const { start, end, field, text } of texts) {
        const json = await namingFieldOf(field, inTurns(referencesJsonSteps(text, tokens)));
        pieces.push(document.slice(at, start), json);
        at = end;
      }
      return [...pieces, document.slice(at)].join('');
    },
  };
}

export interface TextTemplateOptions extends Pick<ReferenceOptions, 'foreignBraces'> {
  /** What an error calls the text. */
  readonly field: string;
  readonly budget: RequestBudget;
  /** Applied to what is put in, and not to the text around it. */
  readonly encode?: (text: string) => string;
}

/** A text: what is put in is written as text. Undefined where there is no reference, so that it can stay as it is. */
export function compileText(text: string, options: TextTemplateOptions): ReferenceTemplate<string> | undefined {
  const { field, encode } = options;
  const compiled = compile(text, options);
  if (compiled.referenceCount === 0) return undefined;
  return {
    uses: usesIn(compiled),
    render: (source) => namingFieldOf(field, inTurns(referencesTextSteps(compiled, source, encode))),
  };
}

function usesIn({ segments }: ReferenceText): ReferenceUses {
  return usesOf(segments.filter((segment) => typeof segment !== 'string'));
}

/** References count for the whole request, whichever of its texts they are in. */
function compile(text: string, options: TextTemplateOptions): ReferenceText {
  const { field, budget, foreignBraces = 'refuse' } = options;
  const referencesMax = budget.leftOf('references');
  const compiled = namingField('', field, () => compileReferences(text, { foreignBraces, referencesMax }));
  budget.spend('references', compiled.referenceCount);
  return compiled;
}
