import { readFileSync } from 'node:fs';
import { escapeHtml } from './html.ts';

/** The contents of a mail. All of it is text; nothing is interpreted as HTML. */
export interface LetterContents {
  readonly subject: string;
  /** What happened, in a sentence. */
  readonly lead: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly action?: { readonly label: string; readonly url: string };
  /** What the reader should know before doing anything. */
  readonly advice: string;
}

const colours = readColours(['ground', 'surface', 'line', 'text', 'muted', 'accent', 'on-accent']);
const family = `-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif`;

/**
 * Writes a mail as text and as HTML. Text from users is escaped, and its line breaks are removed, so that a name cannot
 * fake another line. The HTML has inline styles and loads nothing, because mail programs block style sheets and images.
 */
export function writeLetter(contents: LetterContents): { subject: string; text: string; html: string } {
  const { subject, lead, action, advice } = contents;
  const facts = contents.facts.map(([name, value]) => [name, toLine(value)] as const);
  const text = [
    lead,
    '',
    ...facts.map(([name, value]) => `${name}: ${value}`),
    '',
    ...(action === undefined ? [] : [`${action.label}:`, action.url, '']),
    advice,
    '',
  ];
  return { subject: toLine(subject), text: text.join('\n'), html: renderLetter({ ...contents, subject, facts }) };
}

function renderLetter({ subject, lead, facts, action, advice }: LetterContents): string {
  const { ground, surface, line, text, muted, accent, 'on-accent': onAccent } = colours;
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th align="left" valign="top" style="color:${muted};font-weight:400;padding:4px 16px 4px 0;white-space:nowrap">${escapeHtml(name)}</th><td style="padding:4px 0;word-break:break-word">${escapeHtml(value)}</td></tr>`,
  );
  const button =
    action === undefined
      ? ''
      : `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="background:${accent};border-radius:6px;color:${onAccent};display:inline-block;font-weight:500;padding:10px 16px;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="color:${muted};font-size:12px;line-height:18px;margin:0 0 24px;word-break:break-all">${escapeHtml(action.url)}</p>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(toLine(subject))}</title></head>
<body style="background:${ground};color:${text};font:14px/20px ${family};margin:0;padding:32px 16px">
<div style="background:${surface};border:1px solid ${line};border-radius:14px;margin:0 auto;max-width:480px;padding:32px">
<p style="color:${accent};font-weight:600;margin:0 0 24px">Strongroom</p>
<h1 style="font-size:20px;font-weight:600;line-height:28px;margin:0 0 16px">${escapeHtml(lead)}</h1>
<table cellpadding="0" cellspacing="0" style="border-collapse:collapse;font-size:14px;line-height:20px">
${rows.join('\n')}
</table>
${button}
<p style="border-top:1px solid ${line};color:${muted};font-size:12px;line-height:18px;margin:24px 0 0;padding-top:16px">${escapeHtml(advice)}</p>
</div>
</body>
</html>
`;
}

/**
 * Reads colours of the light theme from the style sheet that defines them. `assets/` is next to `src/` and `dist/`, so
 * the same path works for both.
 */
function readColours<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const tokens = readFileSync(new URL('../../../assets/tokens.css', import.meta.url), 'utf8');
  const find = (name: Name) => new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}),`).exec(tokens)?.[1] ?? 'inherit';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- It has an entry for each name.
  return Object.fromEntries(names.map((name) => [name, find(name)])) as Record<Name, string>;
}

/** Replaces line breaks and other control characters. */
function toLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
}
