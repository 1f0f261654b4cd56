/**
 * Throws in browsers older than Chrome and Edge 111, Firefox 119 and Safari 16.4, where a field would stay empty without
 * a word. It looks for the newest features that fields need: style sheets made by scripts, ARIA properties, and colours
 * that are mixed in a style sheet.
 */
export function requireBrowser(): void {
  const isNew =
    'adoptedStyleSheets' in Document.prototype &&
    'ariaLabel' in Element.prototype &&
    CSS.supports('color', 'color-mix(in srgb, red 50%, blue)');
  if (isNew) return;
  throw new Error('Card fields need a newer browser: Chrome or Edge 111, Firefox 119, or Safari 16.4.');
}
