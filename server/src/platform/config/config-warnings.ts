import { loopbackHosts } from '../../core/network/loopback-hosts.ts';
import { findIntendedName } from '../../core/text/intended-name.ts';
import * as elements from './elements-settings.ts';
import * as kms from './kms-settings.ts';
import * as outbound from './outbound-settings.ts';
import * as portal from './portal-settings.ts';
import * as rootKeys from './root-key-settings.ts';
import { type Environment, fileVariable, type Setting } from './setting.ts';
import { SettingSource } from './setting-source.ts';
import * as settings from './settings.ts';
import * as traces from './trace-settings.ts';

/** A setting that is allowed but probably a mistake. */
export interface ConfigWarning {
  readonly variable: string;
  readonly warning: string;
}

const prefix = 'STRONGROOM_';

/** All settings. These files export settings and nothing else, so that none can be omitted here. */
const known: readonly Setting<unknown>[] = [settings, rootKeys, kms, outbound, portal, elements, traces].flatMap(
  (rows): Setting<unknown>[] => Object.values(rows),
);
const knownNames: ReadonlySet<string> = new Set(known.flatMap((setting) => [setting.variable, fileVariable(setting)]));

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
  const source = new SettingSource(environment);
  const outcome = source.has(settings.publicUrl) ? source.read(settings.publicUrl) : { problems: [] };
  if ('problems' in outcome) return [];
  const { protocol, hostname } = new URL(outcome.value);
  if (protocol === 'https:' || loopbackHosts.includes(hostname)) return [];
  return [
    {
      variable: settings.publicUrl.variable,
      warning: 'is an http address: keys and data would travel unencrypted; serve clients over https',
    },
  ];
}
