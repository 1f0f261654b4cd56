import type { JsonValue } from '../../../src/core/json/json-value.ts';
import { findTokenType, tokenTypeNames } from '../../../src/core/token-types/token-type-catalog.ts';
import { toCode, toPage, toParagraph, toTable } from './markdown.ts';

export function toTokenTypePage(): string {
  return toPage('Token types', [
    toParagraph(
      'The type of a token determines which data is valid, and the default containers, mask, fingerprint expression and search indexes. See [Tokens](../concepts/tokens.md) and [Expressions](../concepts/expressions.md). Data that does not fit its type is refused with 400 and a list of fields.',
    ),
    ...tokenTypeNames.flatMap((name) => [`## ${name}`, toTable(['Default', 'Value'], listDefaults(name))]),
  ]);
}

function listDefaults(name: string): string[][] {
  const type = findTokenType(name);
  if (type === undefined) throw new Error(`The catalog lists ${name} and does not have it.`);
  return [
    ['containers', toList(type.defaultContainers)],
    ...listMask('mask', type.defaultMask),
    ['fingerprint expression', toCode(type.defaultFingerprintExpression)],
    ['search indexes', toList(type.defaultSearchIndexes)],
  ];
}

/** Lists the rows of a mask. A mask that is a tree has a row for each of its texts. */
function listMask(place: string, mask: JsonValue | undefined): string[][] {
  if (mask === undefined) return [[place, 'none: a masked view has no data']];
  if (typeof mask === 'string') return [[place, toCode(mask)]];
  return Object.entries(mask as Readonly<Record<string, JsonValue>>).flatMap(([name, inner]) =>
    listMask(`${place} of ${toCode(name)}`, inner),
  );
}

function toList(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.map(toCode).join(', ');
}
