import {
  evaluateReferences,
  type ReferenceSource,
  renderReferences,
} from '../../core/expressions/reference-evaluation.ts';
import { compileReferences, type ReferenceOptions, type ReferenceText } from '../../core/expressions/reference-text.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { joinPath, namingField } from './request-path.ts';

/** Something with references in it: what they refer to is known before any token is looked at. */
export interface ReferenceTemplate<T> {
  readonly tokenIds: ReadonlySet<string>;
  render(source: ReferenceSource): T;
}

/** A JSON document: a string that is exactly one reference becomes the value itself. */
export function compileDocument(document: JsonValue): ReferenceTemplate<JsonValue> {
  // By the text itself: equal strings have equal references, wherever they stand.
  const texts = new Map<string, ReferenceText>();
  collectReferences(document, '', texts);
  return {
    tokenIds: new Set([...texts.values()].flatMap(({ tokenIds }) => [...tokenIds])),
    render: (source) => replaceReferences(document, texts, source),
  };
}

export interface TextTemplateOptions extends ReferenceOptions {
  /** What an error calls the text. */
  readonly field: string;
  /** Applied to what is put in, and not to the text around it. */
  readonly encode?: (text: string) => string;
}

/** A text: what is put in is written as text. Undefined where there is no reference, so that it can stay as it is. */
export function compileText(text: string, options: TextTemplateOptions): ReferenceTemplate<string> | undefined {
  const { field, encode } = options;
  const compiled = namingField('', field, () => compileReferences(text, options));
  if (compiled.referenceCount === 0) return undefined;
  return {
    tokenIds: compiled.tokenIds,
    render: (source) => namingField('', field, () => renderReferences(compiled, source, encode)),
  };
}

function collectReferences(value: JsonValue, path: string, texts: Map<string, ReferenceText>): void {
  if (typeof value === 'string') {
    const text = namingField('', path || 'body', () => compileReferences(value));
    if (text.referenceCount > 0) texts.set(value, text);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => collectReferences(item, joinPath(path, String(index)), texts));
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) collectReferences(member, joinPath(path, key), texts);
  }
}

function replaceReferences(
  document: JsonValue,
  texts: ReadonlyMap<string, ReferenceText>,
  source: ReferenceSource,
): JsonValue {
  const replace = (value: JsonValue, path: string): JsonValue => {
    if (typeof value === 'string') {
      const text = texts.get(value);
      return text === undefined ? value : namingField('', path || 'body', () => evaluateReferences(text, source));
    }
    if (Array.isArray(value)) return value.map((item, index) => replace(item, joinPath(path, String(index))));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, replace(member, joinPath(path, key))]),
    );
  };
  return replace(document, '');
}
