import type { Shape } from '../../parts/icon';

/** Something that the palette can do. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  /** What the label cannot say, such as where it leads. */
  readonly note?: string;
  readonly icon: Shape;
  /** More words by which it is found. */
  readonly words?: string;
  readonly run: () => void;
}

export interface ChoiceGroup {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** The number of choices of a group that are shown. */
const shownMax = 6;

/** Returns the choices that contain every word of the text. Those whose label begins with it come first. */
export function narrow(groups: readonly ChoiceGroup[], text: string): ChoiceGroup[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const begins = ({ label }: Choice) => label.toLowerCase().startsWith(text.trim().toLowerCase());
  return groups.flatMap(({ title, choices }) => {
    const fitting = choices
      .filter(({ label, words: more = '', note = '' }) => {
        const all = `${label} ${more} ${note}`.toLowerCase();
        return words.every((word) => all.includes(word));
      })
      .toSorted((a, b) => Number(begins(b)) - Number(begins(a)));
    return fitting.length === 0 ? [] : [{ title, choices: fitting.slice(0, shownMax) }];
  });
}
