import { sha256 } from '../keyring/sha256.ts';

/** Into so many drawers tokens are sorted, whatever number of databases holds them. */
export const drawerCount = 4_096;
const bytesOfSet = drawerCount / 8;

/** Where a token lies, by a hash of its id: the first 12 bits, as `drawer_of` in the database has it. */
export function drawerOf(id: string): number {
  return sha256(Buffer.from(id, 'utf8')).readUInt16BE(0) >> 4;
}

/** In how many of these sets each drawer is. */
export function countHolders(sets: readonly DrawerSet[]): number[] {
  return Array.from({ length: drawerCount }, (_, drawer) => sets.filter((held) => held.has(drawer)).length);
}

/** Some of the drawers, a bit for each, as `get_bit` of PostgreSQL counts them. */
export class DrawerSet {
  readonly #bits: Buffer;

  constructor(bits: Buffer) {
    if (bits.length !== bytesOfSet) throw new TypeError(`A set of drawers has ${bytesOfSet} bytes.`);
    this.#bits = bits;
  }

  static of(drawers: Iterable<number>): DrawerSet {
    const bits = Buffer.alloc(bytesOfSet);
    for (const drawer of drawers) bits.writeUInt8(bits.readUInt8(drawer >> 3) | (1 << (drawer & 7)), drawer >> 3);
    return new DrawerSet(bits);
  }

  static all(): DrawerSet {
    return new DrawerSet(Buffer.alloc(bytesOfSet, 0xff));
  }

  has(drawer: number): boolean {
    return ((this.#bits.readUInt8(drawer >> 3) >> (drawer & 7)) & 1) === 1;
  }

  equals(other: DrawerSet): boolean {
    return this.#bits.equals(other.#bits);
  }

  get size(): number {
    return this.list().length;
  }

  includes(other: DrawerSet): boolean {
    return this.with(other).equals(this);
  }

  overlaps(other: DrawerSet): boolean {
    return !this.without(other).equals(this);
  }

  with(other: DrawerSet): DrawerSet {
    return this.#combine(other, (own, others) => own | others);
  }

  without(other: DrawerSet): DrawerSet {
    return this.#combine(other, (own, others) => own & ~others & 0xff);
  }

  list(): number[] {
    return Array.from({ length: drawerCount }, (_, drawer) => drawer).filter((drawer) => this.has(drawer));
  }

  toBytes(): Buffer {
    return Buffer.from(this.#bits);
  }

  #combine(other: DrawerSet, combine: (own: number, others: number) => number): DrawerSet {
    return new DrawerSet(Buffer.from(this.#bits.map((byte, index) => combine(byte, other.#bits.readUInt8(index)))));
  }
}
