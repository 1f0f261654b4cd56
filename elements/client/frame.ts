import { type FrameAddress, writeFrameHash } from '../protocol/frame-address.ts';
import type { ControllerCommand, FieldCommand } from '../protocol/messages.ts';
import { isRecord } from '../protocol/parse.ts';

export type Report = Readonly<Record<string, unknown>> & { readonly kind: string };

export interface FrameParts {
  readonly document: 'field' | 'controller';
  /** The origin of the vault's elements. */
  readonly origin: string;
  readonly keyId: string;
  readonly address: FrameAddress;
  readonly title: string;
  readonly mayCopy?: boolean;
  readonly onReport: (report: Report) => void;
}

/** A frame of the vault in this page. */
export class Frame {
  readonly element = document.createElement('iframe');
  readonly #parts: FrameParts;
  #hasLoaded = false;
  readonly #listen: (event: MessageEvent<unknown>) => void;

  constructor(parts: FrameParts) {
    this.#parts = parts;
    const { element } = this;
    const { origin, keyId, address, title } = parts;
    element.src = `${origin}/elements/${parts.document}?key=${keyId}${writeFrameHash(address)}`;
    element.title = title;
    element.referrerPolicy = 'no-referrer';
    if (parts.mayCopy === true) element.allow = 'clipboard-write';
    const hidden = 'position:absolute;width:0;height:0;border:0;visibility:hidden';
    // If a frame's color scheme differs from that of its document, the browser gives it an opaque background.
    const shown = 'display:block;width:100%;height:24px;border:0;color-scheme:light;background:transparent';
    element.style.cssText = parts.document === 'controller' ? hidden : shown;
    if (parts.document === 'controller') {
      element.tabIndex = -1;
      element.ariaHidden = 'true';
    }
    element.addEventListener('load', () => {
      this.#hasLoaded = true;
    });
    this.#listen = ({ data, origin: from, source }) => {
      if (source !== element.contentWindow || from !== origin || !isRecord(data)) return;
      const { kind } = data;
      if (data['strongroom'] === address.nonce && typeof kind === 'string') parts.onReport({ ...data, kind });
    };
    addEventListener('message', this.#listen);
  }

  /** True if any document has loaded, even a wrong one. */
  get hasLoaded(): boolean {
    return this.#hasLoaded;
  }

  send(command: FieldCommand | ControllerCommand): void {
    const { address, origin } = this.#parts;
    this.element.contentWindow?.postMessage({ ...command, strongroom: address.nonce }, origin);
  }

  /** Reloads the document. It may be missing, or a server of another version may have sent it. */
  reload(): void {
    this.#hasLoaded = false;
    const { src } = this.element;
    this.element.src = 'about:blank';
    this.element.src = src;
  }

  remove(): void {
    removeEventListener('message', this.#listen);
    this.element.remove();
  }
}
