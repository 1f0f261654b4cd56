import { describe, expect, it } from 'vitest';
import { toCompatibilityPage } from './compatibility-page.ts';
import { parseTestCases, type TestCase } from './test-cases.ts';

const calls = new Map([['client 1', ['reactors.list', 'tokens.create', 'tokens.get']]]);
const shown = (call: string, more: Partial<TestCase> = {}): TestCase => ({
  client: 'client 1',
  call,
  shows: 'stores a | b',
  isPassed: true,
  ...more,
});

describe('the page about compatibility', () => {
  it('has a row for every call that a case is about, and for what is about all calls', () => {
    const page = toCompatibilityPage(calls, [shown('tokens.create'), shown('tokens.get'), shown('trace ids')]);
    expect(page).toContain(String.raw`| \`tokens.create\` | works | stores a \| b |`.replaceAll('\\`', '`'));
    expect(page).toContain(String.raw`| trace ids | works | stores a \| b |`);
    expect(page).not.toContain('`reactors.list`');
    expect(page).toContain('`reactors.*`');
  });

  it('cannot be made while a call is neither tried nor explained', () => {
    expect(() => toCompatibilityPage(calls, [shown('tokens.create')])).toThrow(
      'client 1: nothing shows or explains tokens.get.',
    );
  });

  it('says when a case fails', () => {
    const cases = [shown('tokens.create'), shown('tokens.create', { isPassed: false }), shown('tokens.get')];
    expect(toCompatibilityPage(calls, cases)).toContain('| `tokens.create` | 1 of 2 cases fail |');
  });

  it('lists what is different, and why', () => {
    const cases = [shown('tokens.create', { difference: 'Because.' }), shown('tokens.get')];
    const page = toCompatibilityPage(calls, cases);
    expect(page).toContain('| `tokens.create` | works, [differs](#deliberately-different) |');
    expect(page).toContain(String.raw`| client 1 | tokens.create: stores a \| b | Because. |`);
  });
});

describe('the section about suites of the makers', () => {
  it('says how many tests pass and what the others need, and calls none of them something that works', () => {
    const page = toCompatibilityPage(calls, [shown('tokens.create'), shown('tokens.get')]);
    const [section = ''] = page.split('## Suites of the makers')[1]?.split('\n## ') ?? [];
    expect(section).toMatch(/\| node-sdk 6\.1\.1 \| [^|]* \| 16 of 23 \| .*reactors \(2\), /);
    expect(section).toMatch(/\| python-sdk 7\.0\.0 \| [^|]* \| 13 of 19 \| .*stored proxies \(1\)/);
    expect(section).not.toContain('works');
  });
});

describe('the section about other clients', () => {
  it('says of the clients for phones that they were read and not run', () => {
    const [, section = ''] = toCompatibilityPage(calls, [shown('tokens.create'), shown('tokens.get')]).split(
      '## Other clients',
    );
    for (const name of ['react-native-elements', 'android-elements', 'ios-elements']) {
      expect(section).toMatch(new RegExp(`\\| ${name}[^|]*\\| Read: `));
    }
    expect(section).toContain('node-sdk 6.1.1');
  });
});

describe('the cases of a run', () => {
  const result = (ancestorTitles: string[], title: string, more = {}) => ({
    ancestorTitles,
    title,
    status: 'passed',
    ...more,
  });
  const json = JSON.stringify({
    testResults: [
      { assertionResults: [result(['Limits'], 'is about no client')] },
      {
        assertionResults: [
          result(['after 429', 'client 1', 'retries'], 'b', { status: 'failed' }),
          result(['client 1', 'retries'], 'a', { meta: { difference: 'Why' } }),
        ],
      },
    ],
  });

  it('are those about clients, in an order that does not depend on which file was first', () => {
    expect(parseTestCases(json, ['client 1'])).toEqual([
      { client: 'client 1', call: 'retries', shows: 'a', isPassed: true, difference: 'Why' },
      { client: 'client 1', call: 'retries', shows: 'b', isPassed: false },
    ]);
  });
});
