import type { EvidenceFact } from '../bundle/evidence-schema.ts';
import { type FactDifference, type FactState, type FigureChange, toFigureText } from './fact-difference.ts';

interface Changed {
  readonly before: EvidenceFact | undefined;
  readonly now: EvidenceFact | undefined;
  readonly earlier: FactState | null;
  readonly later: FactState | null;
  readonly difference: FactDifference;
}

const listedMax = 5;
const was = { holds: 'held', attention: 'needed attention', fails: 'failed', unread: 'could not be read' } as const;
const is = { holds: 'holds', attention: 'needs attention', fails: 'fails', unread: 'cannot be read' } as const;

/** Returns what changed in sentences: the verdict, what the fact says now, its numbers, and what it is about. */
export function toChangeSentence({ before, now, earlier, later, difference }: Changed): string {
  const { figure, newly_affected: more, no_longer_affected: fewer } = difference;
  const said = later === null ? `The earlier bundle said: ${before?.sentence ?? ''}` : (now?.sentence ?? '');
  const isReworded = figure.length + more.length + fewer.length === 0 && earlier === later;
  return [
    toVerdictSentence(earlier, later),
    said,
    ...(isReworded && before !== undefined ? [`The earlier bundle said: ${before.sentence}`] : []),
    ...(figure.length === 0 ? [] : [toFigureSentence(figure)]),
    ...(more.length === 0 ? [] : [`Newly affected: ${toList(more)}.`]),
    ...(fewer.length === 0 ? [] : [`No longer affected: ${toList(fewer)}.`]),
  ].join(' ');
}

function toVerdictSentence(earlier: FactState | null, later: FactState | null): string {
  if (later === null) return earlier === null ? '' : `It ${was[earlier]} before and is not in the later bundle.`;
  if (earlier === null) return `It is not in the earlier bundle, and ${is[later]} now.`;
  return earlier === later ? `It still ${is[later]}.` : `It ${was[earlier]} before and ${is[later]} now.`;
}

function toFigureSentence(figure: readonly FigureChange[]): string {
  const text = figure.map(toFigurePart).join('; ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function toFigurePart({ name, earlier, later }: FigureChange): string {
  const [noun, before, now] = [name.replaceAll('_', ' '), toFigureText(earlier), toFigureText(later)];
  if (earlier === null) return `${noun}: ${now}, not counted before`;
  if (later === null) return `${noun}: ${before} before, no longer counted`;
  return `${noun} ${later > earlier ? 'rose' : 'fell'} from ${before} to ${now}`;
}

function toList(affected: FactDifference['newly_affected']): string {
  const listed = affected.slice(0, listedMax).map(({ kind, id }) => `${kind} ${id}`);
  const more = affected.length > listed.length ? ` and ${affected.length - listed.length} more` : '';
  return `${listed.join(', ')}${more}`;
}
