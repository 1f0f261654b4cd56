/** Makes text safe between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A piece of a page in which every text has been made safe. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Writes a piece of a page. Values are text and made safe, unless they are pieces of a page themselves. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const pieces = values.map((value) => {
    if (value instanceof Html) return String(value);
    return typeof value === 'object' ? value.join('\n') : escapeHtml(String(value));
  });
  return new Html(strings.map((part, index) => part + (pieces[index] ?? '')).join(''));
}
