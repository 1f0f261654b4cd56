import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { toPage } from './page.mjs';
import { base, docs } from './places.mjs';

const folder = fileURLToPath(docs);
/** Pages that do more than show text. */
const scripts = { 'operate/sizing': 'calculator.js' };

/** Loads every Markdown file under docs/. Its path is its address, and its first heading is its title. */
export function markdownFiles() {
  return {
    name: 'strongroom-docs',
    async load({ store, parseData, renderMarkdown, generateDigest, watcher }) {
      const loadFile = async (file) => {
        const { id, title, description, body } = toPage(file, await readFile(path.join(folder, file), 'utf8'));
        const data = await parseData({ id, data: { title, description, head: scriptsOf(id, body) } });
        store.set({ id, data, body, digest: generateDigest(body), rendered: await renderMarkdown(body) });
      };
      store.clear();
      for (const file of await listPages()) await loadFile(file);
      watcher?.add(folder);
      watcher?.on('change', (changed) => {
        const file = path.relative(folder, changed);
        if (file.endsWith('.md') && !file.startsWith('..')) void loadFile(file);
      });
    },
  };
}

function scriptsOf(id, body) {
  const needed = [scripts[id], body.includes('<div class="code-tabs"') ? 'tabs.js' : undefined];
  return needed
    .filter((script) => script !== undefined)
    .map((script) => ({ tag: 'script', attrs: { type: 'module', src: `${base}/${script}` } }));
}

/** As paths below docs/, in a fixed order. */
export async function listPages() {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.md')).sort();
}
