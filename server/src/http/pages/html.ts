/** Escapes text for use between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A fragment of a page in which all text has been escaped. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Builds a fragment of a page. Values are escaped as text, unless they are fragments themselves. */
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
