import { evaluateTemplateAsText } from '../../../core/expressions/template.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { JsonSource } from '../../../core/json/json-source.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { compileSchema } from '../../../http/parameters/validation.ts';
import { expressionTools } from '../../../platform/keyring/expression-tools.ts';
import { valueMark } from '../../stored-proxies/index.ts';
import { CreateToken, toTokenRequest } from '../../tokens/index.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import { findPlacesSteps, setPlace } from './json-places.ts';
import type { TransformContext, TransformedMessage, TransformOf } from './transformed-message.ts';
import { applyXmlEdits, findXmlPlacesSteps, toXmlEdit, type XmlEdit } from './xml-places.ts';

/** The maximum number of tokens that one call creates. */
const tokensMax = 100;
const tokenShape = compileSchema(CreateToken);

/** A value to replace, and how to write its replacement. */
interface Slot {
  readonly transform: TransformOf<'tokenize'>;
  readonly value: Sensitive<JsonValue>;
  readonly write: (text: string) => void;
}

/** Replaces values with tokens. */
export async function tokenizeValues(
  message: TransformedMessage,
  transforms: readonly TransformOf<'tokenize'>[],
  { createTokens }: TransformContext,
): Promise<void> {
  const inXml = await findXmlSlots(message, transforms);
  const slots: Slot[] = [];
  for (const transform of transforms) slots.push(...(await findSlots(message, transform)));
  slots.push(...inXml.slots);
  if (slots.length > tokensMax)
    throw new DomainError('validation-failed', `A call through a proxy creates at most ${tokensMax} tokens.`);
  const tokens = await createTokens(slots.map(({ transform, value }) => toRequest(transform, value.reveal())));
  slots.forEach(({ transform, write }, index) => {
    const token = tokens[index];
    if (token === undefined) throw new Error('A token was not created.');
    write(evaluateTemplateAsText(transform.value, { [transform.identifier]: token }, expressionTools));
  });
  inXml.apply();
}

/** Finds the values of all transforms in an XML document. `apply` writes what has replaced them. */
async function findXmlSlots(
  message: TransformedMessage,
  transforms: readonly TransformOf<'tokenize'>[],
): Promise<{ readonly slots: readonly Slot[]; readonly apply: () => void }> {
  const { body } = message;
  const located = transforms.flatMap((transform) =>
    transform.location.kind === 'xml' ? [{ transform, path: transform.location.path }] : [],
  );
  if (body.kind !== 'xml' || located.length === 0) return { slots: [], apply: () => undefined };
  const places = await inTurns(
    findXmlPlacesSteps(
      body.text,
      located.map(({ path }) => path),
    ),
  );
  const edits: XmlEdit[] = [];
  const slots = places.flatMap((place) => {
    const { transform } = located[place.path] ?? {};
    if (transform === undefined || place.value?.reveal() === '') return [];
    // Without this check, a number in an element inside this one would pass.
    if (place.value === undefined)
      throw new DomainError('validation-failed', 'An element that the proxy replaces must contain text only.');
    return [{ transform, value: place.value, write: (text: string) => void edits.push(toXmlEdit(place, text)) }];
  });
  return { slots, apply: () => void (message.body = { kind: 'xml', text: applyXmlEdits(body.text, edits) }) };
}

async function findSlots(message: TransformedMessage, transform: TransformOf<'tokenize'>): Promise<readonly Slot[]> {
  const { location } = transform;
  const { body } = message;
  if (location.kind === 'header') return findHeaderSlots(message, transform, location.name);
  if (location.kind === 'json' && body.kind === 'json')
    return (await inTurns(findPlacesSteps(body.holder, location.path)))
      .filter(({ value }) => value.reveal() !== null)
      .map((place) => ({ transform, value: place.value, write: (text: string) => setPlace(place, text) }));
  if (location.kind !== 'form' || body.kind !== 'form') return [];
  const fields = [...body.fields];
  message.body = { kind: 'form', fields };
  return fields.flatMap((field, index) =>
    field.name === location.name
      ? [
          {
            transform,
            value: new Sensitive(field.value),
            write: (text: string) => void (fields[index] = { ...field, value: text }),
          },
        ]
      : [],
  );
}

function findHeaderSlots(message: TransformedMessage, transform: TransformOf<'tokenize'>, name: string): Slot[] {
  const headers = [...message.headers];
  message.headers = headers;
  return headers.flatMap((field, index) =>
    field.name.toLowerCase() === name
      ? [
          {
            transform,
            value: new Sensitive(Buffer.from(field.value, 'latin1').toString('utf8')),
            write: (text: string) => void (headers[index] = { ...field, value: requireHeaderValue(text) }),
          },
        ]
      : [],
  );
}

/** Returns the text as a header value. It cannot end the header (RFC 9110 §5.5). */
export function requireHeaderValue(text: string): string {
  const wire = Buffer.from(text, 'utf8').toString('latin1');
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(wire) && wire.length <= 8_192) return wire;
  throw new DomainError('validation-failed', 'A transform of the proxy would write a value that no header can carry.');
}

function toRequest({ token }: TransformOf<'tokenize'>, value: JsonValue) {
  const request = { ...token, data: insertValue(token['data'] ?? valueMark, value) };
  if (!tokenShape.Check(request))
    throw new DomainError('validation-failed', 'A value does not fit the token that the proxy creates for it.');
  return toTokenRequest(request, new JsonSource());
}

function insertValue(data: JsonValue, value: JsonValue): JsonValue {
  if (data === valueMark) return value;
  if (Array.isArray(data)) return data.map((item: JsonValue) => insertValue(item, value));
  if (!isJsonObject(data)) return data;
  return Object.fromEntries(Object.entries(data).map(([key, member]) => [key, insertValue(member, value)]));
}
