import type * as Pkcs11js from 'pkcs11js';
import { importOptional, KeyServiceError, type KeyServiceTrouble } from '../key-service.ts';

/** The package's constants and the loaded library of the HSM vendor. */
export interface Pkcs11Module {
  readonly constants: typeof Pkcs11js;
  readonly library: Pkcs11js.PKCS11;
}

/**
 * Thrown if the HSM, its client software or its configuration is at fault. The message is one line that says what to
 * do.
 */
export class HsmError extends KeyServiceError {
  constructor(message: string, cause?: unknown, trouble?: KeyServiceTrouble) {
    super(message, cause, trouble);
    this.name = 'HsmError';
  }
}

/**
 * The loaded libraries. Each has one object for the lifetime of the process. PKCS#11 is initialised per process, and
 * pkcs11js unloads a library when its object is garbage collected, even while a thread is still inside it.
 */
const loaded = new Map<string, Pkcs11Module>();

/** Loads and initialises the library of the HSM. It is initialised again if it has been finalised since. */
export async function loadPkcs11Module(
  modulePath: string,
  importPackage: () => Promise<{ readonly default: typeof Pkcs11js }> = () => import('pkcs11js'),
): Promise<Pkcs11Module> {
  const module = loaded.get(modulePath) ?? load(modulePath, await importPkcs11(importPackage));
  loaded.set(modulePath, module);
  try {
    // Operations run on pool threads, so the library must do its own locking.
    module.library.C_Initialize({ flags: module.constants.CKF_OS_LOCKING_OK });
  } catch (error) {
    if (resultOf(error) !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') {
      throw new HsmError(
        `The PKCS#11 module ${modulePath} failed to start (${resultOf(error)}). Check its configuration.`,
        error,
      );
    }
  }
  return module;
}

/**
 * Returns the name of the PKCS#11 return value, such as `CKR_PIN_INCORRECT`. Some calls of pkcs11js have it only in the
 * message.
 */
export function resultOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return /CKR_\w+/.exec(message)?.[0] ?? 'no return value';
}

async function importPkcs11(
  importPackage: () => Promise<{ readonly default: typeof Pkcs11js }>,
): Promise<typeof Pkcs11js> {
  return (await importOptional('an HSM', 'pkcs11js', importPackage)).default;
}

function load(modulePath: string, constants: typeof Pkcs11js): Pkcs11Module {
  const library = new constants.PKCS11();
  try {
    library.load(modulePath);
  } catch (error) {
    throw new HsmError(
      `The PKCS#11 module ${modulePath} cannot be loaded. Install the client software of the HSM, or correct the path.`,
      error,
      'unusable',
    );
  }
  return { constants, library };
}
