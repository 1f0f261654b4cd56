/** Something that is paged through by its id. */
interface Paged {
  readonly id: string;
}

/**
 * Makes one page of the pages of several databases, whose ids are all in `order`. A page may end before its database does, so that
 * nothing is known of what lies behind its last id: the merged page ends where the first of them does. `parts` is what each has given
 * to it.
 */
export function mergePages<Item extends Paged>(
  pages: readonly (readonly Item[])[],
  order: readonly string[],
): { readonly page: Item[]; readonly parts: Item[][] } {
  const places = new Map(order.map((id, place) => [id, place]));
  const placeOf = ({ id }: Paged) => places.get(id) ?? Number.POSITIVE_INFINITY;
  const ends = pages.flatMap((page) => page.slice(-1)).map(placeOf);
  const end = Math.min(...ends);
  const parts = pages.map((page) => page.filter((item) => placeOf(item) <= end));
  return { page: parts.flat().toSorted((one, other) => placeOf(one) - placeOf(other)), parts };
}
