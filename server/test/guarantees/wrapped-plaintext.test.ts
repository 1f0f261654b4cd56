import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ReferenceSource } from '../../src/core/expressions/reference-evaluation.ts';
import type { Sensitive } from '../../src/core/identity/sensitive.ts';
import type { JsonValue } from '../../src/core/json/json-value.ts';
import type { DataQuery } from '../../src/core/search/search-query.ts';
import type { TokenType } from '../../src/core/token-types/token-type.ts';
import type { ReferenceTemplate } from '../../src/features/tokens/index.ts';
import type { ExpressionScope, VisibleToken } from '../../src/features/tokens/model/token.ts';
import type { TokenDraft } from '../../src/features/tokens/write/token-draft.ts';
import type { TokenPatch, TokenRequest } from '../../src/features/tokens/model/token-request.ts';
import type { TokenContent } from '../../src/features/tokens/read/opened-token.ts';
import type { OutboundRequest } from '../../src/platform/outbound/destination-exchange.ts';

const sources = path.resolve(import.meta.dirname, '../../src');

/** Matches `readonly name: type`, private or optional members too, and a private field with a value. */
const member = /^\s+(?:static )?(?:readonly #?|#)(\w+)\??(?::| =) (.+)$/gm;
const wrapped = /Sensitive<(?:readonly )?[^<>]*>/g;
/** Masks are expressions, which anyone who sees the token may see. */
const masks: ReadonlySet<string> = new Set(['mask', 'defaultMask']);
const plaintextNames: ReadonlySet<string> = new Set(['data', 'dataText', 'cvc', 'masked', 'plaintext']);
/** Types that are sealed, that only describe a decision about plaintext, or that are made from audit records. */
const harmless = /^(?:Buffer\b|\{ readonly sealed: Buffer;|CvcChange\b|EventDetails\b|Transform\b|readonly TenantKey)/;

/** Returns members that contain or may contain plaintext without wrapping it. */
function findBareMembers(source: string): string[] {
  return [...source.matchAll(member)].flatMap(([, name = '', type = '']) => {
    const bare = type.replaceAll(wrapped, 'Wrapped');
    const isJson = /\bJson(?:Value|Object|Array)\b/.test(bare) && !masks.has(name);
    const isBareName = plaintextNames.has(name) && !bare.startsWith('Wrapped') && !harmless.test(bare);
    return isJson || isBareName ? [`${name}: ${type}`] : [];
  });
}

describe('plaintext of tokens', () => {
  it('is wrapped in every member of a class or an interface', async () => {
    const bare: string[] = [];
    let count = 0;
    for await (const file of glob('{core,features,http,platform}/**/*.ts', { cwd: sources })) {
      // The state of a portal ceremony is not a token.
      if (file.endsWith('.test.ts') || file === 'features/portal/ways/ceremonies.ts') continue;
      count += 1;
      const found = findBareMembers(await readFile(path.join(sources, file), 'utf8'));
      bare.push(...found.map((text) => `${file} ${text}`));
    }
    expect(bare).toEqual([]);
    expect(count).toBeGreaterThan(300);
  });

  it.each([
    'readonly data: JsonValue;',
    'readonly data: string;',
    'readonly dataText?: string | undefined;',
    'readonly cvc: unknown;',
    'readonly #value: JsonObject | undefined;',
    '#data: JsonValue | undefined;',
    'readonly #values = new Map<string, JsonValue>();',
    'readonly content: readonly JsonValue[];',
    'readonly both: Sensitive<JsonValue> | JsonValue;',
  ])('would be noticed in %j', (text) => {
    expect(findBareMembers(`interface Planted {\n  ${text}\n}`)).toHaveLength(1);
  });

  it('is wrapped in what the parts of the vault hand each other', () => {
    expectTypeOf<TokenRequest['data']>().toEqualTypeOf<Sensitive<JsonValue>>();
    expectTypeOf<TokenDraft['data']>().toEqualTypeOf<Sensitive<JsonValue>>();
    expectTypeOf<TokenContent['data']>().toEqualTypeOf<Sensitive<JsonValue>>();
    expectTypeOf<TokenPatch['data']>().toEqualTypeOf<Sensitive<JsonValue> | undefined>();
    expectTypeOf<ExpressionScope['data']>().toEqualTypeOf<Sensitive<JsonValue>>();
    expectTypeOf<VisibleToken['data']>().toEqualTypeOf<Sensitive<string> | undefined>();
    expectTypeOf<Parameters<TokenType['validate']>>().toEqualTypeOf<[data: Sensitive<JsonValue>]>();
    expectTypeOf<Parameters<NonNullable<TokenType['derive']>>>().toEqualTypeOf<[data: Sensitive<JsonValue>]>();
    expectTypeOf<ReturnType<ReferenceSource['textOf']>>().toEqualTypeOf<Sensitive<string> | undefined>();
    expectTypeOf<ReturnType<ReferenceTemplate<string>['render']>>().toEqualTypeOf<Promise<Sensitive<string>>>();
    expectTypeOf<OutboundRequest['target']>().toEqualTypeOf<Sensitive<string>>();
    expectTypeOf<OutboundRequest['body']>().toEqualTypeOf<Sensitive<Buffer | undefined>>();
    expectTypeOf<DataQuery['value']>().toEqualTypeOf<Sensitive<string>>();
  });
});
