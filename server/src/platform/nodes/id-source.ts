import { toId, type TokenId } from '../../core/identity/ids.ts';

/** Where ids come from that are drawn for tokens which are written together. */
export interface IdSource {
  draw(): TokenId;
  /** Whether a token of this id lies in the same place. */
  accepts(id: string): boolean;
}

/** For tokens that are written on their own, or into a single database. */
export const idsAnywhere: IdSource = { draw: makeId, accepts: () => true };

/** Only such that are accepted. */
export function idsWhere(accepts: (id: string) => boolean): IdSource {
  return {
    accepts,
    draw() {
      for (;;) {
        const id = makeId();
        if (accepts(id)) return id;
      }
    },
  };
}

export function makeId(): TokenId {
  return toId<TokenId>(crypto.randomUUID());
}
