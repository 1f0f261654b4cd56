import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filterCatalog } from '../../src/core/expressions/filters/filter-catalog.ts';
import { compileTemplate, evaluateTemplateAsText } from '../../src/core/expressions/template.ts';
import { parseJson } from '../../src/core/json/parse-json.ts';
import { expressionTools } from '../../src/platform/keyring/expression-tools.ts';

// The engine evaluates the examples in docs/concepts/expressions.md and compares the results.

const page = readFileSync(new URL('../../../docs/concepts/expressions.md', import.meta.url), 'utf8');
/**
 * Matches three columns of code: expression, data as JSON, and a result. A pipe in a table is escaped with a backslash.
 */
const row = /^\| `(?<expression>[^`]+)` +\| `(?<data>[^`]+)` +\| `(?<result>[^`]+)` +\|$/gm;
const examples = [...page.matchAll(row)].map(({ groups = {}, index }) => ({
  expression: (groups['expression'] ?? '').replaceAll(String.raw`\|`, '|'),
  data: groups['data'] ?? '',
  result: groups['result'] ?? '',
  isPattern: index > page.indexOf('## Aliases'),
}));

function evaluate(expression: string, data: string): string {
  return evaluateTemplateAsText(
    compileTemplate(expression),
    { data: parseJson(data, { depthMax: 8 }) },
    expressionTools,
  );
}

describe('the page about expressions', () => {
  it.each(examples.filter(({ isPattern }) => !isPattern))('$expression of $data is $result', (example) => {
    expect(evaluate(example.expression, example.data)).toBe(example.result);
  });

  it.each(examples.filter(({ isPattern }) => isPattern))('$expression of $data matches $result', (example) => {
    expect(evaluate(example.expression, example.data)).toMatch(new RegExp(example.result));
  });

  it('has an example of every filter', () => {
    const shown = examples.flatMap(({ expression }) => [...expression.matchAll(/\| (\w+)/g)].map(([, name]) => name));
    expect(new Set(shown)).toEqual(new Set(filterCatalog.keys()));
  });
});
