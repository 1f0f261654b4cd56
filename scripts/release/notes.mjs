import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { securityContactOf } from './repository.mjs';

/** Writes the part of the changelog about this version, and how to report a vulnerability. */
export function writeNotes({ version, folder, output }) {
  const changelog = readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8');
  writeFileSync(
    path.join(output, `strongroom-${version}-notes.md`),
    cutSection(changelog, version) + securityNote(folder),
  );
}

function securityNote(folder) {
  const contact = securityContactOf(folder);
  const way = contact === undefined ? 'as `SECURITY.md` describes' : `to ${contact}`;
  return `\nReport vulnerabilities in private, ${way}, never in a public issue.\n`;
}

export function cutSection(changelog, version) {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} `));
  if (start < 0)
    throw new Error(`CHANGELOG.md has no section "## ${version}". Write what changed, commit, and move the tag.`);
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  const section = lines.slice(start, length < 0 ? undefined : start + 1 + length);
  return `${section.join('\n').trim()}\n`;
}
