import { describe, expect, it } from 'vitest';
import { listFieldsAsked } from './fields-asked.ts';
import { parseSearchQuery } from './parse-search-query.ts';

describe('listFieldsAsked', () => {
  it.each([
    ['type:card', ['type']],
    ['data:"123-45-6789"', ['data']],
    ['type:card AND NOT (data:"4242" OR metadata.customer:ada)', ['data', 'metadata', 'type']],
    ['container:/pci/* AND id:a AND id:b', ['container', 'id']],
    [
      'created_at:[2026-01-01 TO 2026-02-01] OR created_by:x OR fingerprint:y',
      ['created_at', 'created_by', 'fingerprint'],
    ],
  ])('of %s are %j', (text, fields) => {
    expect(listFieldsAsked(parseSearchQuery(text))).toEqual(fields);
  });
});
