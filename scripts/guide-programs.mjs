import { programLanguages } from './markdown-blocks.mjs';

/** Begins the line that tells the output of one block from that of the next. */
const mark = '\u0001';

/**
 * What it takes to run the blocks of a language as one program: how the program begins, how it prints a mark, and the
 * command. Programs print objects as JSON, so that all languages of a call can be compared with the response on the page.
 */
const kinds = {
  ts: {
    file: 'guide.ts',
    begin: `const log = console.log; console.log = (...all) => log(...all.map((it) => typeof it === 'object' ? JSON.stringify(it) : it));`,
    mark: (at) => `log('\\u0001${at}');`,
    command: 'node guide.ts',
  },
  python: {
    file: 'guide_page.py',
    begin: `import json as _json; _print = print; print = lambda *all: _print(*[_json.dumps(it) if isinstance(it, (dict, list)) else it for it in all])`,
    mark: (at) => `_print('\\u0001${at}')`,
    command: 'python3 guide_page.py',
  },
  go: {
    file: 'guide-page.go',
    mark: (at) => `fmt.Println("\\u0001${at}")`,
    command: 'cp "$GUIDES/languages/send.go" . && go run guide-page.go send.go',
  },
};

/**
 * Returns the programs of a page: all blocks of a language, in order. Lines have the numbers that they have on the page, so
 * that an error message leads to the page. Go blocks are the main function, together with `docs/guides/languages/send.go`.
 */
export function toPrograms(blocks, lineCount) {
  return programLanguages.flatMap((language) => {
    const own = blocks.filter((block) => block.isRun && block.language === language);
    if (own.length === 0) return [];
    const { file, begin, command, mark: toMark } = kinds[language];
    const lines = Array.from({ length: lineCount }, () => '');
    for (const block of own) {
      lines[block.at] = toMark(block.at);
      for (const { at, line } of block.lines) lines[at] = line;
    }
    lines[0] = language === 'go' ? beginGo(lines) : begin;
    if (language === 'go') lines.push('}');
    return [{ file, text: lines.join('\n'), command, output: `${file}.out` }];
  });
}

/** Imports the packages that are used, because Go refuses others. */
function beginGo(lines) {
  const text = lines.join('\n');
  const packages = {
    bytes: 'bytes',
    fmt: 'fmt',
    hex: 'encoding/hex',
    http: 'net/http',
    json: 'encoding/json',
    log: 'log',
    os: 'os',
    rand: 'crypto/rand',
    url: 'net/url',
  };
  const used = Object.keys(packages).filter((name) => new RegExp(`\\b${name}\\.[A-Z]`).test(text));
  return `package main; import (${used.map((name) => `"${packages[name]}"`).join(';')}); func main() {`;
}

/** Splits what a program printed into the output of each of its blocks, by the line at which the block begins. */
export function splitOutput(text) {
  return new Map(
    text
      .split(mark)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n');
        return [Number(part.slice(0, end)), part.slice(end + 1)];
      }),
  );
}
