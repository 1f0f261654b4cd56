import { type ElementType, elementTypes } from '../protocol/element-type.ts';
import { keyIdOf } from '../protocol/frame-address.ts';
import { Controller } from './controller.ts';
import type { ErrorPrefix } from './errors.ts';
import { type ElementOptions, requireTargetId } from './element-options.ts';
import { ExpirationDateElement } from './expiration-date-element.ts';
import { createServices, type VaultServices } from './services.ts';
import { requireBrowser } from './supported-browser.ts';
import { type ElementHost, VaultElement } from './vault-element.ts';

export interface CreateElement {
  (type: 'cardExpirationDate', options: ElementOptions): ExpirationDateElement;
  (type: ElementType, options?: ElementOptions): VaultElement;
}

/** The page's interface. It creates elements, and makes calls with their values without exposing them to the page. */
export interface StrongroomElements extends VaultServices {
  readonly createElement: CreateElement;
}

const instances = new Map<string, Promise<StrongroomElements>>();

/**
 * Returns the instance for a key and for names of errors. It is opened on first use. If opening fails, the next use tries
 * again.
 */
export function openOnce(key: string, origin: string, errors: ErrorPrefix = 'Strongroom'): Promise<StrongroomElements> {
  const name = `${errors} ${key} ${origin}`;
  const known = instances.get(name);
  if (known !== undefined) return known;
  const opening = openInstance(key, origin, errors);
  instances.set(name, opening);
  opening.catch(() => instances.delete(name));
  return opening;
}

/** Opens an instance. All its elements share a hidden frame of the vault. */
async function openInstance(key: string, origin: string, errors: ErrorPrefix): Promise<StrongroomElements> {
  requireBrowser();
  const keyId = keyIdOf(key);
  if (keyId === undefined) throw new Error('Elements need the key of a public application (key_…_pub_…).');
  if (origin === location.origin)
    throw new Error('Fields must come from an origin of their own, not from that of the page.');
  await whenThereIsABody();
  const nonce = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const controller = new Controller({ key, keyId, origin, nonce, errors });
  await controller.ready;
  const watched = new Set<VaultElement>();
  const observer = new MutationObserver(() => {
    for (const element of watched) if (element.isOrphaned) element.unmount();
  });
  const host: ElementHost = {
    origin,
    keyId,
    nonce,
    ready: controller.ready,
    tellController: (command) => controller.tell(command),
    watch: (element) => {
      if (watched.size === 0) observer.observe(document, { childList: true, subtree: true });
      watched.add(element);
    },
    focusNext: (element) => {
      const later = [...watched].filter((other) => element.isBefore(other) && other.metadata.empty);
      later.find((first) => later.every((other) => other === first || first.isBefore(other)))?.focus();
    },
    unwatch: (element) => {
      watched.delete(element);
      if (watched.size === 0) observer.disconnect();
    },
  };
  return { ...createServices(() => controller), createElement: createElements(host) };
}

function createElements(host: ElementHost): CreateElement {
  let last = 0;
  function createElement(type: 'cardExpirationDate', options: ElementOptions): ExpirationDateElement;
  function createElement(type: ElementType, options?: ElementOptions): VaultElement;
  function createElement(type: ElementType, options: ElementOptions = {}): VaultElement {
    if (!elementTypes.includes(type)) throw new Error(`There is no element "${type}".`);
    requireTargetId(type, options);
    last += 1;
    const parts = { host, id: String(last), type, options };
    return type === 'cardExpirationDate' ? new ExpirationDateElement(parts) : new VaultElement(parts);
  }
  return createElement;
}

function whenThereIsABody(): Promise<void> {
  if (document.body !== null) return Promise.resolve();
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }));
}
