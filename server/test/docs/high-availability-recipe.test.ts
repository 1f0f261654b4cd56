import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

// The page shows the files of deploy/high-availability, which the fault suite runs.

const repository = path.resolve(import.meta.dirname, '../../..');
const recipe = path.join(repository, 'deploy/high-availability');
const page = readFileSync(path.join(repository, 'docs/deploy/patroni.md'), 'utf8');
const blocks = [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

it.each(readdirSync(recipe))('the page about Patroni shows %s as it is', (name) => {
  expect(blocks).toContain(readFileSync(path.join(recipe, name), 'utf8'));
});
