import type { TestResponse } from './test-vault.ts';

/** The parts of a token in a response that tests check. */
export interface AnsweredToken {
  readonly id: string;
  readonly type: string;
  readonly data?: unknown;
  readonly containers: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly fingerprint?: string;
  readonly created_by: string;
  readonly created_at: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
}

export interface AnsweredPage {
  readonly pagination: {
    readonly total_items: number;
    readonly page_number: number;
    readonly page_size: number;
    readonly total_pages: number;
    readonly next?: string;
  };
  readonly data: readonly AnsweredToken[];
}

/** Returns the page in a response. Throws with the response if its status is not 200. */
export function pageOf(answer: TestResponse): AnsweredPage {
  if (answer.status !== 200) throw new Error(`Expected a page, got ${answer.status} ${answer.text}`);
  return answer.body as AnsweredPage;
}

export function idsOf(page: AnsweredPage): string[] {
  return page.data.map(({ id }) => id);
}

/** Follows `next` to the last page. Throws if there are more pages than expected, because a cursor may loop. */
export async function followPages(
  fetchPage: (start: string | undefined) => Promise<AnsweredPage>,
  pagesMax: number,
): Promise<AnsweredPage[]> {
  const pages: AnsweredPage[] = [];
  for (let start: string | undefined; pages.length === 0 || start !== undefined; ) {
    if (pages.length === pagesMax) throw new Error(`There is a page after the last of ${pagesMax}.`);
    const page = await fetchPage(start);
    pages.push(page);
    start = page.pagination.next;
  }
  return pages;
}
