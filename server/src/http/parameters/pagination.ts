import { type TSchema, Type } from 'typebox';
import { DomainError } from '../../core/errors/domain-error.ts';
import { nameSchemas } from '../routes/api-components.ts';
import { wholeNumber } from './query-parameters.ts';

export interface PageRequest {
  readonly page: number;
  readonly size: number;
}

export interface Page<Item> {
  readonly totalItems: number;
  readonly items: readonly Item[];
}

export const sizeDefault = 20;
export const sizeMaxDefault = 100;
export const pageMax = 999_999_999;
const digits = /^[1-9]\d{0,8}$/;

/** The query parameters of an offset list. They are text in the request, and `parsePageRequest` parses them. */
export const pageParameters = pageParametersUpTo(sizeMaxDefault);

export function pageParametersUpTo(sizeMax: number) {
  return {
    page: wholeNumber({ description: 'Page number, starting at 1.', default: 1, maximum: pageMax }),
    size: wholeNumber({ description: 'Items per page.', default: sizeDefault, maximum: sizeMax }),
  };
}

export function parsePageRequest(
  query: { readonly page?: string; readonly size?: string },
  sizeMax = sizeMaxDefault,
): PageRequest {
  const fields: Record<string, string[]> = {};
  const read = (name: 'page' | 'size', fallback: number, max: number): number => {
    const text = query[name];
    if (text === undefined) return fallback;
    const value = digits.test(text) ? Number(text) : Number.NaN;
    if (value <= max) return value;
    fields[name] = [`must be a whole number from 1 to ${max}`];
    return fallback;
  };
  const request = { page: read('page', 1, pageMax), size: read('size', sizeDefault, sizeMax) };
  if (Object.keys(fields).length > 0) {
    throw new DomainError('validation-failed', 'The request did not pass validation.', { fields });
  }
  return request;
}

export const PaginationView = Type.Object(
  {
    total_items: Type.Integer({ description: 'How many items there are on all pages.' }),
    page_number: Type.Integer({ description: 'The number of this page, starting at 1.' }),
    page_size: Type.Integer({ description: 'How many items a page holds at most.' }),
    total_pages: Type.Integer({ description: 'How many pages there are.' }),
  },
  { description: 'Where a page stands in a list.' },
);

const CursorPagination = Type.Object(
  {
    page_size: Type.Integer({ description: 'How many items a page holds at most.' }),
    next: Type.Optional(
      Type.String({ description: 'Send it as `start` to get the following page. Absent on the last one.' }),
    ),
  },
  { description: 'How to get the next page.' },
);
nameSchemas({ Pagination: PaginationView, CursorPagination });

/** Returns the schema of a page in a list with numbered pages. */
export function pageOf<Item extends TSchema>(item: Item) {
  return Type.Object(
    { pagination: PaginationView, data: Type.Array(item, { description: 'The items of the page, newest first.' }) },
    { description: 'A page of a list.' },
  );
}

/** Returns the schema of a page in a list that follows a cursor. */
export function cursorPageOf<Item extends TSchema>(item: Item, items: string) {
  return Type.Object(
    {
      pagination: CursorPagination,
      data: Type.Array(item, { description: `The ${items} of the page, newest first.` }),
    },
    { description: `A page of ${items}.` },
  );
}

export function toPaginationView(request: PageRequest, totalItems: number) {
  return {
    total_items: totalItems,
    page_number: request.page,
    page_size: request.size,
    total_pages: Math.ceil(totalItems / request.size),
  };
}
