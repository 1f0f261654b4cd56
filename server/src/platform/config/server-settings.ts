import { group, optionalSetting, setting, settingWithDefault, type ValueOf } from './reading.ts';
import { isCellName } from '../keyring/sign-in/api-key.ts';
import { oneOf, parseBoolean, parsePort, parseText, textWhere, urlWith, wholeNumber } from './setting-parsers.ts';

export const publicUrl = setting('STRONGROOM_PUBLIC_URL', parsePublicUrl, {
  expectation: 'the public URL of this vault',
  example: 'https://vault.example.com',
});

/** The name of this vault if it is one of several. Its keys carry the name. */
export const cell = optionalSetting('STRONGROOM_CELL', textWhere(isCellName), {
  expectation:
    'the name of this vault among several: a lower-case letter, then up to 11 lower-case letters and digits, and none of pvt, pub, mgt and sess',
  example: 'eu1',
  otherwise: 'the keys of the vault name no cell',
});

const adminHost = settingWithDefault('STRONGROOM_ADMIN_HOST', parseText, '127.0.0.1', {
  expectation: 'the address for health and metrics; keep it private',
});

const adminPort = settingWithDefault('STRONGROOM_ADMIN_PORT', parsePort, 8081, {
  purpose: 'the port for the health and metrics of a server',
  expectation: 'a port from 0 to 65535',
});

export const workerAdminPort = settingWithDefault('STRONGROOM_WORKER_ADMIN_PORT', parsePort, 8082, {
  expectation: 'a port from 0 to 65535 for the health and metrics of a worker',
});

/** The addresses of a server. */
export const listen = group({
  publicUrl,
  host: settingWithDefault('STRONGROOM_HOST', parseText, '0.0.0.0', { expectation: 'the address to listen on' }),
  port: settingWithDefault('STRONGROOM_PORT', parsePort, 8080, {
    purpose: 'the port of the API',
    expectation: 'a port from 0 to 65535',
  }),
  adminHost,
  adminPort,
});

/** The address at which a server reports its health. */
export const serverAdmin = group({ host: adminHost, port: adminPort });

/** The address at which a worker reports its health. */
export const workerAdmin = group({ host: adminHost, port: workerAdminPort });

/** True if `/docs` and `/openapi.json` are served. */
export const servesReference = settingWithDefault('STRONGROOM_API_REFERENCE', parseBoolean, true, {
  expectation: 'true or false: whether to serve the API reference at /docs and /openapi.json',
  example: 'false',
});

/** The address of the documentation, to which pages of the portal link. */
export const documentationUrl = optionalSetting('STRONGROOM_DOCUMENTATION_URL', parseFolderUrl, {
  expectation: 'the URL at which this documentation is published; pages of the portal then link to it',
  example: 'https://docs.example.com/strongroom/',
  otherwise: 'no links',
});

export const requestTimeoutSeconds = settingWithDefault('STRONGROOM_REQUEST_TIMEOUT_SECONDS', wholeNumber(2, 30), 10, {
  expectation: 'how long a request may take until its response begins, from 2 to 30 seconds',
});

/** Settings for how a server stops. */
export const drain = group({
  /** The time for which a stopping server still serves, so that load balancers stop sending requests. */
  delaySeconds: settingWithDefault('STRONGROOM_DRAIN_DELAY_SECONDS', wholeNumber(0, 300), 5, {
    expectation: 'how long a server that was told to stop reports unready and still serves, from 0 to 300 seconds',
  }),
  /** The time after that until requests in progress are cut off. */
  timeoutSeconds: settingWithDefault('STRONGROOM_DRAIN_TIMEOUT_SECONDS', wholeNumber(1, 300), 20, {
    expectation: 'how long requests in progress may take after that, from 1 to 300 seconds',
  }),
});
export type DrainConfig = ValueOf<typeof drain>;

/** True if a process that must not be restarted stays up instead of exiting. */
export const staysWhenRefused = settingWithDefault('STRONGROOM_STAY_WHEN_REFUSED', parseBoolean, false, {
  expectation:
    'true or false: whether a server or worker whose HSM refuses its PIN stays up, unready, instead of exiting with status 2; for platforms that restart every program that exits',
  example: 'true',
});

const logLevels = ['info', 'warn', 'error', 'silent'] as const;

export const logLevel = settingWithDefault('STRONGROOM_LOG_LEVEL', oneOf(logLevels), 'info', {
  purpose: 'how much is logged',
  expectation: `one of ${logLevels.join(', ')}`,
});

/** Parses the URL of a folder. Names of pages are appended to it. */
function parseFolderUrl(text: string): string | undefined {
  return urlWith('http:', 'https:')(text)?.replace(/\/?$/, '/');
}

function parsePublicUrl(text: string): string | undefined {
  return urlWith('http:', 'https:')(text)?.replace(/\/$/, '');
}
