import { findIntendedName } from '../../core/text/intended-name.ts';
import { allSettings } from './config.ts';
import { publicUrl } from './server-settings.ts';
import type { Environment } from './setting.ts';
import { isProtected } from './setting-parsers.ts';

/** A setting that is allowed but probably a mistake. */
export interface ConfigWarning {
  readonly variable: string;
  readonly warning: string;
}

const prefix = 'STRONGROOM_';
const knownNames: ReadonlySet<string> = new Set(
  allSettings.flatMap(({ variable, fileVariable }) => [variable, fileVariable]),
);

/**
 * Checks all settings, not only those that a command needs, because server, worker and commands share one environment.
 */
export function findConfigWarnings(environment: Environment): ConfigWarning[] {
  return [...findUnknownNames(environment), ...findPlainAddress(environment)];
}

function findUnknownNames(environment: Environment): ConfigWarning[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !knownNames.has(name) && !isServiceLink(name, environment[name]))
    .map((variable) => ({ variable, warning: `is not a setting and changes nothing${suggest(variable)}` }));
}

function suggest(variable: string): string {
  const names = [...knownNames].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const intended = findIntendedName(variable.slice(prefix.length), names);
  return intended === undefined ? '' : `; did you mean ${prefix}${intended}?`;
}

/**
 * Returns true for a variable that Kubernetes sets. Kubernetes sets variables with the address of each service in every
 * container, named after the service.
 */
function isServiceLink(name: string, value = ''): boolean {
  return /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/.test(name) || /^(tcp|udp|sctp):/.test(value);
}

function findPlainAddress(environment: Environment): ConfigWarning[] {
  const url = publicUrl.find(environment);
  if (url === undefined || isProtected(new URL(url))) return [];
  const warning = 'is an http address: keys and data would travel unencrypted; serve clients over https';
  return [{ variable: publicUrl.variable, warning }];
}
