import path from 'node:path';
import { groupTabs, readBlocks, tabLabels } from '../scripts/markdown-blocks.mjs';
import { base } from './places.mjs';

/**
 * What the site makes of a file: the first heading becomes the title, links to other files become addresses, and comments
 * (which say how a page is tested) are left out. `file` is its path below docs/.
 */
export function toPage(file, text) {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`docs/${file} has no title: begin it with a line such as "# Rotate keys".`);
  const content = text.replace(/^# .+\n+/m, '');
  return {
    id: toId(file),
    title: toPlain(title),
    description: describe(content),
    body: rewriteProse(file, withFileNames(withTabs(content))),
  };
}

/** Puts the blocks of a call in several languages into one element, which `public/tabs.js` turns into tabs. */
function withTabs(text) {
  const lines = text.split('\n');
  for (const group of groupTabs(lines, readBlocks(lines)).toReversed()) {
    const labels = group.map(({ language }) => tabLabels[language]).join(',');
    lines.splice(group.at(-1).endAt + 1, 0, '', '</div>');
    lines.splice(group[0].at, 0, `<div class="code-tabs" data-labels="${labels}">`, '');
  }
  return lines.join('\n');
}

/** Shows the names of files over blocks that are whole files. In the repository, the links around them have the names. */
function withFileNames(text) {
  return text.replace(
    /^<!-- file: (?:\S+\/)?(\S+) -->\n\n(<div class="code-tabs"[^\n]*>\n\n)?```(\w+)$/gm,
    (_, name, tabs = '', language) => `${tabs}\`\`\`${language} title="${name}" frame="code"`,
  );
}

/** `runbooks/README.md` is the page of its folder. */
export function toId(file) {
  return file.replace(/\.md$/, '').replace(/(^|\/)README$/, (_, slash) => `${slash}index`);
}

/** The address of a page on the site. */
export function toAddress(file) {
  const id = toId(file).replace(/(^|\/)index$/, '$1');
  return `${base}/${id}${id === '' || id.endsWith('/') ? '' : '/'}`;
}

/** Code stays as it is. */
function rewriteProse(file, text) {
  const parts = text.split(/^(```[^]*?^```$)/m);
  return parts
    .map((part, index) => (index % 2 === 1 ? part : rewriteLinks(file, requireNoScript(file, withoutComments(part)))))
    .join('');
}

/** The build serves scripts of the generator as files of ours; a page must not have one slip in. */
function requireNoScript(file, prose) {
  if (/<script/i.test(prose.replace(/`[^`]*`/g, '')))
    throw new Error(`docs/${file} has a script outside of a code block.`);
  return prose;
}

function withoutComments(prose) {
  return prose.replace(/^<!--[^]*?-->\n?/gm, '');
}

function rewriteLinks(file, prose) {
  return prose.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (_, mark, label, target) => {
    const address = resolve(file, target);
    return address === undefined ? label : `${mark}[${label}](${address})`;
  });
}

/** Undefined for a file that is not part of the site, such as source code. */
function resolve(file, target) {
  if (/^(https?:|mailto:|#)/.test(target)) return target;
  const [relative = '', heading] = target.split('#');
  const found = path.posix.join(path.posix.dirname(file), relative);
  if (found.startsWith('..')) return undefined;
  if (found.startsWith('images/')) return `${base}/${found}`;
  if (!found.endsWith('.md')) return undefined;
  return `${toAddress(found)}${heading === undefined ? '' : `#${heading}`}`;
}

/** The first paragraph, as search engines and link previews show it. */
function describe(content) {
  const paragraph = content.split(/\n\n+/).find((part) => /^[A-Z`*]/.test(part));
  return paragraph === undefined ? undefined : toPlain(paragraph.replaceAll('\n', ' ')).slice(0, 200);
}

function toPlain(markdown) {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}
