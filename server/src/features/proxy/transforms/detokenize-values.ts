import { DomainError } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { ExactNumber, type JsonValue } from '../../../core/json/json-value.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { findPlacesSteps, setPlace } from './json-places.ts';
import type { MessageBody } from './message-body.ts';
import type { TransformContext, TransformedMessage, TransformOf } from './transformed-message.ts';
import { applyXmlEdits, findXmlPlacesSteps, toXmlEdit, type XmlEdit } from './xml-places.ts';

/**
 * Replaces references with values, as far as the caller may read them. Nothing but the texts at the locations is
 * evaluated, and results are not evaluated again.
 */
export async function detokenizeValues(
  message: TransformedMessage,
  transforms: readonly TransformOf<'detokenize'>[],
  { detokenize }: TransformContext,
): Promise<void> {
  const { body } = message;
  const xml: XmlEdit[] = [];
  const inJson: ReferringText[] = [];
  for (const transform of transforms) inJson.push(...(await findJsonTexts(body, transform)));
  const places = [...inJson, ...(await findXmlTexts(body, transforms, xml))].filter(({ text }) => text !== '');
  if (places.length === 0) return;
  const values = await detokenize(places.map(({ text }) => toReference(text)));
  places.forEach(({ write }, index) => write(values[index] ?? new Sensitive<JsonValue>(null)));
  if (body.kind === 'xml') message.body = { kind: 'xml', text: applyXmlEdits(body.text, xml) };
}

/** A text that contains a reference, and how to write its value. */
interface ReferringText {
  readonly text: string;
  readonly write: (value: Sensitive<JsonValue>) => void;
}

async function findJsonTexts(
  body: MessageBody,
  { location }: TransformOf<'detokenize'>,
): Promise<readonly ReferringText[]> {
  if (body.kind !== 'json' || location.kind !== 'json') return [];
  const places = await inTurns(findPlacesSteps(body.holder, location.path));
  return places.flatMap((place) => {
    const text = place.value.reveal();
    return typeof text === 'string'
      ? [{ text, write: (value: Sensitive<JsonValue>) => setPlace(place, value.reveal()) }]
      : [];
  });
}

async function findXmlTexts(
  body: MessageBody,
  transforms: readonly TransformOf<'detokenize'>[],
  edits: XmlEdit[],
): Promise<ReferringText[]> {
  const paths = transforms.flatMap(({ location }) => (location.kind === 'xml' ? [location.path] : []));
  if (body.kind !== 'xml' || paths.length === 0) return [];
  const places = await inTurns(findXmlPlacesSteps(body.text, paths));
  return places.map((place) => ({
    text: place.value?.reveal() ?? '',
    write: (value) => void edits.push(toXmlEdit(place, toXmlText(value.reveal()))),
  }));
}

/** Returns a value as the text of an element. An object has no form in XML. */
function toXmlText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof ExactNumber) return value.text;
  throw new DomainError('validation-failed', 'A value of a token cannot be written into XML. Refer to a member of it.');
}

/** The destination may return the id of a token or a whole expression. */
function toReference(text: string): string {
  return text.includes('{{') ? text : `{{ ${text} }}`;
}
