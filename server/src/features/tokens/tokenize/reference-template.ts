import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import {
  type Encode,
  referencesJsonSteps,
  type ReferenceSource,
  referencesTextSteps,
} from '../../../core/expressions/reference-evaluation.ts';
import {
  compileReferences,
  type ReferenceOptions,
  type ReferenceText,
} from '../../../core/expressions/reference-text.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { mergeUses, type ReferenceUses, usesOf } from '../../../core/expressions/reference-uses.ts';
import { type JsonSource, textPlacesMax } from '../../../core/json/json-source.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { namingField, namingFieldOf } from '../model/token-request.ts';

/** A template with references. Their targets are known before any token is read. */
export interface ReferenceTemplate<T> {
  readonly uses: ReferenceUses;
  /** Returns the template with token values inserted. */
  render(source: ReferenceSource): Promise<Sensitive<T>>;
}

/**
 * Compiles JSON text. A string that is exactly one reference becomes the value itself, and everything else keeps its
 * spelling.
 */
export function compileDocument(
  source: JsonSource,
  options: Pick<TextTemplateOptions, 'budget' | 'isSelectOnly'>,
): ReferenceTemplate<string> {
  const { document, textPlaces } = source;
  const { budget } = options;
  if (textPlaces.length === textPlacesMax) budget.spend('references', textPlacesMax);
  const texts = textPlaces.map((place) => {
    const field = place.path.join('.') || 'body';
    return { ...place, field, text: compile(place.text, { ...options, field }) };
  });
  return {
    uses: mergeUses(texts.map(({ text }) => usesIn(text))),
    async render(tokens) {
      const pieces: string[] = [];
      let at = 0;
      for (const { start, end, field, text } of texts) {
        const json = await namingFieldOf(field, inTurns(referencesJsonSteps(text, tokens)));
        pieces.push(document.slice(at, start), json.reveal());
        at = end;
      }
      return new Sensitive([...pieces, document.slice(at)].join(''));
    },
  };
}

export interface TextTemplateOptions extends Pick<ReferenceOptions, 'foreignBraces' | 'isSelectOnly'> {
  /** The name of the text in error messages. */
  readonly field: string;
  readonly budget: RequestBudget;
  /** Encodes inserted values, but not the text around them. */
  readonly encode?: Encode;
}

/**
 * Compiles a text into which values are inserted as text. Returns undefined if it has no reference, so that the text
 * can stay unchanged.
 */
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

/** The limit on references applies to the whole request, not to each text. */
function compile(text: string, options: TextTemplateOptions): ReferenceText {
  const { field, budget, foreignBraces = 'refuse', isSelectOnly = false } = options;
  const referencesMax = budget.leftOf('references');
  const compiled = namingField('', field, () =>
    compileReferences(text, { foreignBraces, referencesMax, isSelectOnly }),
  );
  budget.spend('references', compiled.referenceCount);
  return compiled;
}
