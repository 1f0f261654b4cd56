import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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
          await writeFile(path.join(folder, file), moveScripts(page, scripts));
        }
        await mkdir(path.join(folder, 'scripts'), { recursive: true });
        for (const [name, script] of scripts) await writeFile(path.join(folder, 'scripts', name), script);
      },
    },
  };
}

export function moveScripts(page, scripts) {
  return page.replace(/<script(?![^>]*\bsrc=)([^>]*)>([^]*?)<\/script>/g, (whole, attributes, script) => {
    if (/type="(?!module|text\/javascript)/.test(attributes)) return whole;
    const name = `${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`;
    scripts.set(name, script);
    return `<script${attributes} src="${base}/scripts/${name}"></script>`;
  });
}
