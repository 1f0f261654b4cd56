import { toApiPage } from './api-page.ts';
import { toCommandPage } from './command-page.ts';
import { toErrorPage } from './error-page.ts';
import { toPermissionPage } from './permission-page.ts';
import { toSettingsPage } from './settings-page.ts';
import { toTokenTypePage } from './token-type-page.ts';

/** Returns the pages of docs/reference by name. The document is what a vault serves at `/openapi.json`. */
export function writeReference(document: unknown): Readonly<Record<string, string>> {
  return {
    'api.md': toApiPage(document),
    'cli.md': toCommandPage(),
    'errors.md': toErrorPage(),
    'permissions.md': toPermissionPage(document),
    'settings.md': toSettingsPage(),
    'token-types.md': toTokenTypePage(),
  };
}
