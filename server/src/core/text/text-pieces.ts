import type { Steps } from '../steps/steps.ts';

/** The length of a piece, in UTF-16 code units. Regular expressions and encoders take about a millisecond per piece. */
const pieceLength = 64 * 1024;

/** Returns the end of the piece that begins at a position. A character of two code units stays in one piece. */
export function pieceEnd(text: string, at: number): number {
  const end = at + pieceLength;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? end + 1 : Math.min(end, text.length);
}

/** Applies a function to a text of any length, piece by piece. The function must treat each character independently. */
export function* mapPiecesSteps(text: string, map: (piece: string) => string): Steps<string> {
  const pieces: string[] = [];
  for (let at = 0, end = 0; at < text.length; at = end) {
    if (at > 0) yield;
    end = pieceEnd(text, at);
    pieces.push(map(text.slice(at, end)));
  }
  return pieces.join('');
}
