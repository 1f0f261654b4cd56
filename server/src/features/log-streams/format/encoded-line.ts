import type { StreamFormat } from '../../../platform/config/log-stream-config.ts';
import { lineIdOf, lineTimeOf, type StreamLine } from '../model/stream-line.ts';
import { toOcsf } from './ocsf.ts';

/** A line as it is sent. The JSON has no line breaks. */
export interface EncodedLine {
  readonly id: string;
  readonly timeMs: number;
  readonly isNotice: boolean;
  readonly json: string;
}

export function toEncodedLine(line: StreamLine, format: StreamFormat): EncodedLine {
  return {
    id: lineIdOf(line),
    timeMs: lineTimeOf(line),
    isNotice: line.kind === 'record' && (line.operation === 'alert' || line.outcome === 'denied'),
    json: JSON.stringify(format === 'ocsf' ? toOcsf(line) : line),
  };
}
