import { type ErrorPrefix, StrongroomApiError, StrongroomValidationError } from './errors.ts';
import { openOnce, type StrongroomElements } from './instance.ts';
import { hasElement } from './references.ts';

/*
 * The script that a page loads from the vault. It provides `strongroom(key)`, and `BasisTheoryElements` for the
 * published client libraries.
 */
interface ElementsScript extends Partial<StrongroomElements> {
  init(key: string): Promise<StrongroomElements>;
  hasElement(payload: unknown): boolean;
}

declare global {
  interface Window {
    BasisTheoryElements?: ElementsScript;
    strongroom?: (key: string) => Promise<StrongroomElements>;
  }
}

const source = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : undefined;

/**
 * Opens an instance on the origin of this script. Addresses that libraries pass are ignored because they belong to
 * another service.
 */
function open(key: string, errors?: ErrorPrefix): Promise<StrongroomElements> {
  if (source === undefined) throw new Error('Load this script with a script element, not as a module.');
  return openOnce(key, new URL(source).origin, errors);
}

const script: ElementsScript = {
  init: async (key) => {
    const instance = await open(key, 'BasisTheory');
    // One of the libraries uses this object instead of the returned instance.
    Object.assign(script, instance);
    return instance;
  },
  hasElement,
};

window.BasisTheoryElements ??= script;
window.strongroom ??= Object.assign((key: string) => open(key), { StrongroomApiError, StrongroomValidationError });
