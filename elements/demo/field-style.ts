import { partOf } from './page-part.ts';

/** Returns a colour of the page as a value. A field is another document, which does not know the page's properties. */
export function colorOf(role: 'text' | 'muted' | 'link' | 'bad'): string {
  return getComputedStyle(partOf(`color-${role}`)).color;
}

/** Returns the style that makes fields look like the rest of the page. */
export function fieldStyle() {
  return {
    base: {
      color: colorOf('text'),
      fontSize: '14px',
      '::placeholder': { color: colorOf('muted') },
    },
    invalid: { color: colorOf('bad') },
  };
}

/** Calls a function when somebody changes between light and dark. A field would keep the colours of the other theme. */
export function onTheme(restyle: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);
}
