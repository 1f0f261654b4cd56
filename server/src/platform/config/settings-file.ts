import { readFileSync } from 'node:fs';
import { OperatorError } from '../../core/errors/operator-error.ts';
import type { Environment } from './setting.ts';
import { describeUnreadable } from './unreadable-file.ts';

const bytesMax = 1024 * 1024;

/**
 * Reads the settings of another vault from a file with a line for each, such as systemd and container engines read it.
 * The settings of this process do not apply to that vault.
 */
export function readSettingsFile(path: string): Environment {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new OperatorError(describeUnreadable(path, error));
  }
  if (text.length > bytesMax) throw new OperatorError(`${path} is too long to be a file with settings.`);
  const settings: Record<string, string> = {};
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, name, value] = /^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$/.exec(trimmed) ?? [];
    if (name === undefined || value === undefined) {
      throw new OperatorError(`Line ${index + 1} of ${path} is not a setting, such as STRONGROOM_CELL=us1.`);
    }
    settings[name] = unquoted(value.trim());
  }
  return Object.freeze(settings);
}

function unquoted(value: string): string {
  const [, single, double] = /^(?:'([^']*)'|"([^"]*)")$/.exec(value) ?? [];
  return single ?? double ?? value;
}
