import { DomainError } from '../../../core/errors/domain-error.ts';
import { evaluateTemplateAsText, type Template } from '../../../core/expressions/template.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { expressionTools } from '../../../platform/keyring/expression-tools.ts';
import { inTurns } from '../../../platform/waiting/turns.ts';
import type { ProxyTransform } from '../../stored-proxies/index.ts';
import { detokenizeValues } from './detokenize-values.ts';
import { findPlacesSteps, removePlace, setPlace } from './json-places.ts';
import { maskBodySteps } from './mask-text.ts';
import { requireHeaderValue, tokenizeValues } from './tokenize-values.ts';
import type { TransformContext, TransformedMessage, TransformOf } from './transformed-message.ts';
import { applyXmlEdits, findXmlPlacesSteps } from './xml-places.ts';

/** Applies transforms in order. Neighbouring ones that create tokens create them together. */
export async function applyTransforms(
  message: TransformedMessage,
  transforms: readonly ProxyTransform[],
  context: TransformContext,
): Promise<void> {
  requireReadable(message, transforms);
  for (let at = 0; at < transforms.length; ) {
    const type = transforms[at]?.type;
    const length = transforms.slice(at).findIndex((transform) => transform.type !== type);
    const group = transforms.slice(at, length < 0 ? undefined : at + length);
    await applyGroup(message, group, context);
    at += group.length;
  }
}

/**
 * Throws if a transform that protects values could not look into the body. A card in a form would otherwise pass a proxy
 * that was made for JSON.
 */
function requireReadable({ body }: TransformedMessage, transforms: readonly ProxyTransform[]): void {
  const kinds = new Set<string>();
  for (const transform of transforms) {
    if (transform.type === 'mask') for (const kind of ['json', 'text', 'xml']) kinds.add(kind);
    const isProtecting = transform.type === 'tokenize' || transform.type === 'remove';
    if (isProtecting && transform.location.kind !== 'header') kinds.add(transform.location.kind);
  }
  if (kinds.size === 0 || body.kind === 'empty' || kinds.has(body.kind)) return;
  throw new DomainError(
    'unsupported-media-type',
    `The transforms of this proxy need a body in UTF-8 that is not compressed: ${[...kinds].map((kind) => formats[kind]).join(' or ')}.`,
  );
}

const formats: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text',
  xml: 'application/xml',
};

async function applyGroup(
  message: TransformedMessage,
  group: readonly ProxyTransform[],
  context: TransformContext,
): Promise<void> {
  await tokenizeValues(message, group.filter(isTokenize), context);
  await detokenizeValues(message, group.filter(isDetokenize), context);
  for (const transform of group) {
    if (transform.type === 'mask') message.body = await inTurns(maskBodySteps(message.body, transform));
    else if (transform.type === 'remove') await remove(message, transform);
    else if (transform.type === 'append_header') appendHeader(message, transform, context);
    else if (transform.type === 'append_json') await appendJson(message, transform, context);
    else if (transform.type === 'append_text') appendText(message, transform, context);
  }
}

function isTokenize(transform: ProxyTransform): transform is TransformOf<'tokenize'> {
  return transform.type === 'tokenize';
}

function isDetokenize(transform: ProxyTransform): transform is TransformOf<'detokenize'> {
  return transform.type === 'detokenize';
}

async function remove(message: TransformedMessage, { location }: TransformOf<'remove'>): Promise<void> {
  const { body } = message;
  if (location.kind === 'header')
    message.headers = message.headers.filter(({ name }) => name.toLowerCase() !== location.name);
  else if (location.kind === 'json' && body.kind === 'json')
    (await inTurns(findPlacesSteps(body.holder, location.path))).forEach(removePlace);
  else if (location.kind === 'form' && body.kind === 'form')
    message.body = { kind: 'form', fields: body.fields.filter(({ name }) => name !== location.name) };
  else if (location.kind === 'xml' && body.kind === 'xml') {
    const places = await inTurns(findXmlPlacesSteps(body.text, [location.path]));
    const edits = places.map(({ outer }) => ({ range: outer, text: '' }));
    message.body = { kind: 'xml', text: applyXmlEdits(body.text, edits) };
  }
}

/** Replaces a header, so that the caller cannot send another one beside it. */
function appendHeader(
  message: TransformedMessage,
  { name, value }: TransformOf<'append_header'>,
  context: TransformContext,
): void {
  const others = message.headers.filter((field) => field.name.toLowerCase() !== name.toLowerCase());
  message.headers = [...others, { name, value: requireHeaderValue(evaluate(value, context)) }];
}

async function appendJson(
  { body }: TransformedMessage,
  { location, value }: TransformOf<'append_json'>,
  context: TransformContext,
): Promise<void> {
  if (body.kind !== 'json' || location.kind !== 'json') return;
  const last = location.path.at(-1);
  if (last?.kind !== 'name') return;
  const text = evaluate(value, context);
  for (const { value: parent } of await inTurns(findPlacesSteps(body.holder, location.path.slice(0, -1))))
    appendMember(parent.reveal(), last.name, text);
}

function appendMember(parent: JsonValue, key: string, text: string): void {
  if (isJsonObject(parent)) setPlace({ parent, key }, text);
}

function appendText(
  message: TransformedMessage,
  { value }: TransformOf<'append_text'>,
  context: TransformContext,
): void {
  if (message.body.kind === 'text')
    message.body = { ...message.body, text: message.body.text + evaluate(value, context) };
}

function evaluate(template: Template, { configuration, request }: TransformContext): string {
  return evaluateTemplateAsText(template, { configuration, request }, expressionTools);
}
