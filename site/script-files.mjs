import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAccessible } from './accessible.mjs';
import { base } from './places.mjs';

/** Moves scripts that were written into pages to files, so that a page may be served without allowing inline scripts. */
export function scriptFiles() {
  return {
    name: 'strongroom-script-files',
    hooks: {
      'astro:build:done': async ({ dir }) => {
        const folder = fileURLToPath(dir);
        const scripts = new Map();
        for (const file of await readdir(folder, { recursive: true })) {
          if (!file.endsWith('.html')) continue;
          const page = await readFile(path.join(folder, file), 'utf8');
          await writeFile(path.join(folder, file), moveScripts(makeAccessible(page), scripts));
        }
        await mkdir(path.join(folder, 'scripts'), { recursive: true });
        for (const [name, script] of scripts) await writeFile(path.join(folder, 'scripts', name), script);
      },
    },
  };
}

/** Comments, and tags with their attributes: what looks like a tag inside a quoted attribute is none. */
const tags = /<!--[^]*?-->|<(\/?[a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi;

export function moveScripts(page, scripts) {
  let moved = '';
  let at = 0;
  tags.lastIndex = 0;
  for (let tag = tags.exec(page); tag !== null; tag = tags.exec(page)) {
    const [, name = '', attributes = ''] = tag;
    if (name.toLowerCase() !== 'script') continue;
    const end = page.indexOf('</script>', tags.lastIndex);
    if (isMovable(attributes)) {
      const file = toFile(page.slice(tags.lastIndex, end), scripts);
      moved += `${page.slice(at, tag.index)}<script${attributes} src="${base}/scripts/${file}">`;
      at = end;
    }
    tags.lastIndex = end;
  }
  return moved + page.slice(at);
}

/** Not one that is a file already, nor data in a script element. */
function isMovable(attributes) {
  return !/\bsrc=/.test(attributes) && !/type="(?!module|text\/javascript)/.test(attributes);
}

function toFile(script, scripts) {
  const name = `${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`;
  scripts.set(name, script);
  return name;
}
