import { invalidField } from '../../core/errors/domain-error.ts';
import type { DestinationUrl } from '../../platform/outbound/destination-url.ts';
import type { ReferenceTemplate } from '../tokens/index.ts';
import type { ProxyRequest } from './proxy-request.ts';
import { compileQuery, compileUrlField, joinTemplates } from './url-fields.ts';

/** With everything that was put in. */
const lengthMax = 16 * 1024;

/**
 * Path and query of the call: those of the destination URL, without slashes at the end of its path, followed by what
 * the client added. References never reach the authority: it was read and judged before this.
 */
export function compileTarget(
  url: DestinationUrl,
  request: Pick<ProxyRequest, 'path' | 'query'>,
): ReferenceTemplate<string> {
  const path = compilePath(`${withoutSlashesAtEnd(url.path)}${request.path}`);
  const queries = [url.query, request.query].filter((query) => query !== '');
  const query = joinTemplates(
    queries.map((text) => compileQuery(text, 'query')),
    '&',
  );
  return {
    tokenIds: new Set([...path.tokenIds, ...query.tokenIds]),
    render(source) {
      const target = `${path.render(source) || '/'}${queries.length === 0 ? '' : `?${query.render(source)}`}`;
      if (target.length > lengthMax) throw invalidField('path', 'is too long with its values');
      return target;
    },
  };
}

function compilePath(path: string): ReferenceTemplate<string> {
  const segments = path.split('/').map((segment) => {
    const template = compileUrlField(segment, { field: 'path' });
    return {
      tokenIds: template.tokenIds,
      render: (source: Parameters<typeof template.render>[0]) => requireNoStep(template.render(source)),
    };
  });
  return joinTemplates(segments, '/');
}

/** `.` and `..`, encoded or not, would have the destination walk elsewhere: a value must not decide where. */
function requireNoStep(segment: string): string {
  const plain = segment.replaceAll(/%2e/gi, '.');
  if (plain === '.' || plain === '..') throw invalidField('path', 'must not hold . or .. as a segment');
  return segment;
}

function withoutSlashesAtEnd(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
