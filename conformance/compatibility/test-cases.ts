/** A case of the client suite: a result for one call of one client, or for all its calls. */
export interface TestCase {
  readonly client: string;
  readonly call: string;
  readonly shows: string;
  readonly isPassed: boolean;
  /** The reason why a vault deliberately behaves differently. */
  readonly difference?: string;
}

/** The part of Vitest's JSON report that is used here. */
interface VitestResults {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly meta?: { readonly difference?: string };
    }[];
  }[];
}

/** Returns the cases of the named clients. They are sorted because files finish in any order. */
export function parseTestCases(json: string, clients: readonly string[]): TestCase[] {
  const { testResults } = JSON.parse(json) as VitestResults;
  const cases = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ ancestorTitles, title, status, meta }) => {
      const at = ancestorTitles.findIndex((ancestor) => clients.includes(ancestor));
      const [client, call] = at < 0 ? [] : ancestorTitles.slice(at, at + 2);
      if (client === undefined || call === undefined) return [];
      const difference = meta?.difference === undefined ? {} : { difference: meta.difference };
      return [{ client, call, shows: title, isPassed: status === 'passed', ...difference }];
    }),
  );
  const place = ({ client, call, shows }: TestCase) => `${clients.indexOf(client)} ${call} ${shows}`;
  return cases.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}
