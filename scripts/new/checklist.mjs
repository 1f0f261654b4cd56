import { readFileSync } from 'node:fs';
import { toForms } from './name-forms.mjs';
import { kinds } from './skeleton.mjs';

const page = new URL('../../docs/contributing/adding-things.md', import.meta.url);

/** Returns the steps that the documentation lists for a kind of skeleton, with the name in place of the placeholders. */
export function readChecklist(kind, name) {
  const [, section = ''] = readFileSync(page, 'utf8').split(`\n## ${kinds[kind]}\n`);
  const [own] = section.split('\n## ');
  const steps = own.slice(own.search(/^1\. /m)).split(/\n\n(?! )/)[0];
  const { file, files } = toForms(name);
  return steps.replaceAll('<name>', file).replaceAll('<names>', files);
}
