import { otherClients } from './other-clients.ts';
import { stricter } from './stricter.ts';
import { findUnserved, unservedCalls } from './unserved-calls.ts';
import type { TestCase } from './test-cases.ts';

const opening = `# Compatibility

<!-- Written by \`npm run table --workspace conformance\` from what the suite showed. CI fails when it is not current. -->

Strongroom answers the published clients of Basis Theory as they are: change the address and the key, and nothing else. The
suite in \`conformance/\` starts a vault and makes every call below with every client, those that succeed and those that must
fail. [Point your client at a vault](guides/point-your-client.md) says how to move.
`;

/**
 * The page about what works with which client. Throws for a call that has neither a case nor a reason why it is not
 * answered: a new version of a client cannot bring calls that nobody looked at.
 */
export function toCompatibilityPage(calls: ReadonlyMap<string, readonly string[]>, cases: readonly TestCase[]): string {
  const sections = [...calls].map(([client, offered]) => toClientSection(client, offered, cases));
  return [opening, ...sections, toDifferences(cases), toStricter(), toUnserved(calls), toOthers()].join('\n');
}

function toClientSection(client: string, offered: readonly string[], cases: readonly TestCase[]): string {
  const own = cases.filter((one) => one.client === client);
  const casesOf = (call: string) => own.filter((one) => one.call === call);
  const unexplained = offered.filter((call) => casesOf(call).length === 0 && findUnserved(call) === undefined);
  if (unexplained.length > 0) throw new Error(`${client}: nothing shows or explains ${unexplained.join(', ')}.`);

  const served = offered.filter((call) => casesOf(call).length > 0);
  const across = [...new Set(own.map(({ call }) => call))].filter((call) => !offered.includes(call));
  return [
    `## ${client}\n`,
    toTable(
      ['Call', 'Result', 'Shown'],
      served.map((call) => [`\`${call}\``, ...toResult(casesOf(call))]),
    ),
    toTable(
      ['In all calls', 'Result', 'Shown'],
      across.map((call) => [call, ...toResult(casesOf(call))]),
    ),
  ].join('\n');
}

function toResult(cases: readonly TestCase[]): [string, string] {
  const failed = cases.filter(({ isPassed }) => !isPassed).length;
  const works = cases.some(({ difference }) => difference !== undefined)
    ? 'works, [differs](#deliberately-different)'
    : 'works';
  return [failed === 0 ? works : `${failed} of ${cases.length} cases fail`, cases.map(({ shows }) => shows).join('; ')];
}

function toDifferences(cases: readonly TestCase[]): string {
  const byText = new Map<string, TestCase[]>();
  for (const one of cases) {
    if (one.difference === undefined) continue;
    const key = `${one.call} ${one.shows}`;
    byText.set(key, [...(byText.get(key) ?? []), one]);
  }
  const rows = [...byText.values()].map((same) => {
    const [{ call, shows, difference = '' } = { call: '', shows: '' }] = same;
    return [same.map(({ client }) => client).join(', '), `${call}: ${shows}`, difference];
  });
  return `## Deliberately different\n\nWhere the hosted service does otherwise, or where its clients do not say what to expect.\n\n${toTable(['Client', 'What a vault does', 'Why'], rows)}`;
}

function toStricter(): string {
  const rows = stricter.map(({ what, why }) => [what, why]);
  return `## Stricter\n\nWhat a vault refuses or hides that the hosted service may let pass. The attacks in \`server/test/attacks\` show most of it.\n\n${toTable(['What a vault does', 'Why'], rows)}`;
}

function toUnserved(calls: ReadonlyMap<string, readonly string[]>): string {
  const offered = [...new Set([...calls.values()].flat())];
  const rows = unservedCalls.map(({ prefixes, why }) => {
    const known = prefixes.filter((prefix) => offered.some((call) => call.startsWith(prefix)));
    return [known.map((prefix) => `\`${prefix.endsWith('.') ? `${prefix}*` : prefix}\``).join(', '), why];
  });
  return `## Not answered\n\nRequests of these calls get 404; elements ask the service of their maker and not the vault.\n\n${toTable(['Calls', 'Why'], rows)}`;
}

function toOthers(): string {
  const rows = [...otherClients.run, ...otherClients.read].map(({ name, checked, remarks }) => [
    name,
    checked,
    remarks,
  ]);
  return `## Other clients\n\nThe clients for phones and tablets were read and not run.\n\n${toTable(['Client', 'How it was checked', 'Remarks'], rows)}`;
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return `${[toLine(head), toLine(head.map(() => '---')), ...rows.map(toLine)].join('\n')}\n`;
}
