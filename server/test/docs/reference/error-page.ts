import { keysOf } from '../../../src/core/objects/keys-of.ts';
import { problemCatalog } from '../../../src/http/problems/problem-catalog.ts';
import { toCode, toPage, toParagraph, toTable } from './markdown.ts';

export function toErrorPage(): string {
  const codes = keysOf(problemCatalog).toSorted((a, b) => problemCatalog[a].status - problemCatalog[b].status);
  return toPage('Errors', [
    toParagraph(
      'An error is `application/problem+json` (RFC 9457). Its `type` is `/docs/errors/<code>`, a page of the vault with the text below; codes do not change. `detail` says what is wrong with this request, `errors` lists each invalid field by its path, and `trace_id` identifies the request in the server log. A message never repeats a submitted or stored value. `/proxy` routes put the same object into `proxy_error`.',
    ),
    toTable(
      ['Status', 'Code', 'Title'],
      codes.map((code) => {
        const { status, title } = problemCatalog[code];
        return [String(status), `[${toCode(code)}](#${code})`, title];
      }),
    ),
    ...codes.flatMap((code) => {
      const { status, meaning, remedy } = problemCatalog[code];
      return [`## ${code}`, toParagraph(`**${status}.** ${meaning}`), toParagraph(`What to do: ${remedy}`)];
    }),
  ]);
}
