/** Where the site is served, by `strongroom dev` and by any web server. */
export const base = '/docs/guide';
/** The pages: plain Markdown that can be read without the site. */
export const docs = new URL('../docs/', import.meta.url);
