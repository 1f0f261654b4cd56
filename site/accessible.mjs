/**
 * Mends what the generator leaves to scripts or gets wrong. A block of code or a table that is wider than the page has to
 * be reachable by keyboard. The name of the search button is "Search", so the keys beside it are drawn by the style sheet
 * and not written.
 */
export function makeAccessible(page) {
  return page
    .replaceAll('<pre data-language=', '<pre tabindex="0" data-language=')
    .replaceAll('<table>', '<table tabindex="0">')
    .replaceAll(/(<kbd(?: [^>]*)?>)(?:Ctrl|K)<\/kbd>/g, '$1</kbd>');
}
