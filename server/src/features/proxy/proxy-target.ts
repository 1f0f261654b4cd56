import type { RequestBudget } from '../../core/budget/request-budget.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import type { ReferenceSource } from '../../core/expressions/reference-evaluation.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { mergeUses } from '../../core/expressions/reference-uses.ts';
import type { DestinationUrl } from '../../platform/outbound/destination-url.ts';
import type { ReferenceTemplate } from '../tokens/index.ts';
import type { ProxyRequest } from './proxy-request.ts';
import { compileQuery, compileUrlField, joinTemplates, type UrlFieldOptions } from './url-fields.ts';

/** The maximum length of path and query including inserted values, in characters. */
const lengthMax = 16 * 1024;

/**
 * Compiles the path and query of the call. They consist of those of the destination URL, without trailing slashes in
 * its path, followed by those that the client added. References never reach the authority, which has already been
 * parsed and checked.
 */
export function compileTarget(
  url: DestinationUrl,
  request: Pick<ProxyRequest, 'path' | 'query' | 'isFromFields' | 'isPlain'>,
  budget: RequestBudget,
): ReferenceTemplate<string> {
  const options = { budget, isSelectOnly: request.isFromFields, isPlain: request.isPlain };
  const path = compilePath(`${withoutSlashesAtEnd(url.path)}${request.path}`, options);
  const queries = [url.query, request.query].filter((query) => query !== '');
  const query = joinTemplates(
    queries.map((text) => compileQuery(text, { ...options, field: 'query' })),
    '&',
  );
  return {
    uses: mergeUses([path.uses, query.uses]),
    async render(source) {
      const question = queries.length === 0 ? '' : `?${(await query.render(source)).reveal()}`;
      const target = `${(await path.render(source)).reveal() || '/'}${question}`;
      if (target.length > lengthMax) throw invalidField('path', 'is too long with its values');
      return new Sensitive(target);
    },
  };
}

function compilePath(
  path: string,
  options: Pick<UrlFieldOptions, 'budget' | 'isSelectOnly' | 'isPlain'>,
): ReferenceTemplate<string> {
  const segments = path.split('/').map((segment) => {
    const template = compileUrlField(segment, { ...options, field: 'path' });
    return {
      uses: template.uses,
      render: async (source: ReferenceSource) => requireNoStep(await template.render(source)),
    };
  });
  return joinTemplates(segments, '/');
}

/**
 * Rejects `.` and `..`, encoded or not. They would make the destination resolve another path, and a value must not
 * determine the path.
 */
function requireNoStep(segment: Sensitive<string>): Sensitive<string> {
  const plain = segment.reveal().replaceAll(/%2e/gi, '.');
  if (plain === '.' || plain === '..') throw invalidField('path', 'must not hold . or .. as a segment');
  return segment;
}

function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
