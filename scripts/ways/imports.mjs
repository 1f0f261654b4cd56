// Reads which files a source file imports. If a file imports names from an `index.ts`, the files that define those
// names count as imported.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const statement = /^(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[^'";]*?)\s*(?:from\s+)?'(\.[^']+)'/gm;

/** Returns the files that a file imports, by their paths below the folder. */
export function importsOf(folder, file) {
  return statementsOf(folder, file).flatMap(({ names, target }) =>
    path.basename(target) === 'index.ts' ? filesBehind(folder, target, names) : [target],
  );
}

function filesBehind(folder, index, names) {
  return statementsOf(folder, index)
    .filter((exported) => exported.names.some((name) => names.includes(name)))
    .map(({ target }) => target);
}

function statementsOf(folder, file) {
  const text = readFileSync(path.join(folder, file), 'utf8');
  return [...text.matchAll(statement)].map(([, names = '', target]) => ({
    names: names
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, ''),
      )
      .filter((name) => name !== ''),
    target: path.normalize(path.join(path.dirname(file), target)),
  }));
}
