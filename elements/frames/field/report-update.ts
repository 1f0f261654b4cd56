import { readInteger } from '../../protocol/parse.ts';
import type { FrameLink } from '../frame-link.ts';
import { OptionError } from './read-options.ts';

/** Changes options, and tells the page which of them could not change, or why the update failed. */
export function reportUpdate(
  link: FrameLink,
  command: Readonly<Record<string, unknown>>,
  update: () => readonly string[],
): void {
  const id = readInteger(command['id'], { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (id === undefined) return;
  try {
    const ignored = update();
    link.report({ kind: 'updated', id, ignored });
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    link.report({ kind: 'updated', id, reason: error.message });
  }
}
