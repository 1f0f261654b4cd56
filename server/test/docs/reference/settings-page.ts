import { readServerConfig } from '../../../src/platform/config/config.ts';
import { ConfigError } from '../../../src/platform/config/config-error.ts';
import { settingsOf } from '../../../src/platform/config/reading.ts';
import type { Setting } from '../../../src/platform/config/setting.ts';
import { settingGroups } from './setting-groups.ts';
import { toCode, toPage, toParagraph, toTable } from './markdown.ts';

export function toSettingsPage(): string {
  return toPage('Settings', [
    toParagraph(
      'Settings are environment variables. Every one can be read from a file instead: append `_FILE` to its name, as in `STRONGROOM_ROOT_KEY_FILE=/run/secrets/root-key`; surrounding whitespace in the file is ignored. An empty variable counts as not set.',
    ),
    toParagraph(
      `\`strongroom serve\` requires ${listRequired().map(toCode).join(', ')} (or another root key); everything else has a default or is optional. A command that is missing a setting, or cannot read one, lists all problems at once and exits with status 2. Every command warns about a \`STRONGROOM_…\` variable that is not a setting.`,
    ),
    toParagraph(
      'Settings of a single tenant are part of the API: see [Tenant settings](../operate/tenants.md#settings-of-a-tenant).',
    ),
    ...settingGroups.flatMap(({ title, about, readings }) => [
      `## ${title}`,
      toParagraph(about),
      toTable(['Variable', 'What it is', 'Default', 'Example'], settingsOf(readings).map(toRow)),
    ]),
  ]);
}

function toRow(setting: Setting<unknown>): string[] {
  const { variable } = setting;
  const { expectation, example, purpose } = setting.details;
  const about = purpose === undefined ? expectation : `${purpose}: ${expectation}`;
  return [toCode(variable), about, toDefault(setting), toCode(example)];
}

function toDefault({ variable, fallback, details: { otherwise } }: Setting<unknown>): string {
  if (otherwise !== undefined) return otherwise;
  if (listRequired().includes(variable)) return 'required';
  if (fallback === undefined) return '–';
  const isOne = typeof fallback === 'string' || typeof fallback === 'number' || typeof fallback === 'boolean';
  return isOne ? toCode(String(fallback)) : 'none';
}

/** Returns the variables that a server without any setting requires. */
function listRequired(): string[] {
  try {
    readServerConfig({});
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ variable }) => variable);
    throw error;
  }
  throw new Error('A server starts without any setting.');
}
