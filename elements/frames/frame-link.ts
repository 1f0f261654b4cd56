import { type FrameAddress, readFrameHash } from '../protocol/frame-address.ts';
import type { ControllerReport, Envelope, FieldReport, SiblingMessage } from '../protocol/messages.ts';
import { isRecord } from '../protocol/parse.ts';

interface Listeners {
  /** Handles a message from the page. It can contain anything, so each kind of frame validates it field by field. */
  readonly onCommand: (command: Readonly<Record<string, unknown>>) => void;
  /** Handles a message from another frame of the vault, which runs the vault's own code. */
  readonly onSibling: (message: SiblingMessage, source: Window) => void;
}

type WithoutSender<Report> = Report extends unknown ? Omit<Report, 'element'> : never;

/** Connects a frame with the page around it and with the vault's other frames in that page. */
export class FrameLink {
  readonly address: FrameAddress;
  /**
   * The key for which the vault allowed the page to embed this frame. A page can load frames for other tenants' keys
   * with the same nonce.
   */
  readonly #key = new URLSearchParams(location.search).get('key');

  /**
   * Opens the link. Returns undefined if no field may run: outside a frame, in a sandbox, without an address, or in a
   * page on the vault's own origin.
   */
  static open(listeners: Listeners): FrameLink | undefined {
    const address = readFrameHash(location.hash);
    if (address === undefined || window.parent === window || address.pageOrigin === location.origin) return undefined;
    // A sandboxed frame has no origin, so its siblings would not accept its messages.
    if (window.origin !== location.origin) return undefined;
    return new FrameLink(address, listeners);
  }

  private constructor(address: FrameAddress, { onCommand, onSibling }: Listeners) {
    this.address = address;
    addEventListener('message', ({ data, origin, source }: MessageEvent<unknown>) => {
      if (!isRecord(data)) return;
      if (source === window.parent && origin === address.pageOrigin && data['strongroom'] === address.nonce) {
        onCommand(data);
      }
      // Messages from other origins are ignored here. All frames of this origin are served by the vault.
      if (origin === location.origin && this.#isOfSameInstance(data) && source !== null) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        onSibling(data as unknown as SiblingMessage, source as Window);
      }
    });
  }

  /**
   * Sends a report to the page that the address names. If the window shows a page of another origin, the report is not
   * delivered.
   */
  report(report: WithoutSender<FieldReport | ControllerReport>): void {
    const { nonce, element, pageOrigin } = this.address;
    const message: Envelope & { readonly element: string } = { ...report, element, strongroom: nonce };
    window.parent.postMessage(message, pageOrigin);
  }

  /** Sends a message to a window. It arrives only while the window shows a page of this origin. */
  tell(sibling: Window, message: SiblingMessage): void {
    sibling.postMessage({ ...message, sibling: this.address.nonce, key: this.#key }, location.origin);
  }

  /**
   * Sends a message to all frames of this origin in the page. A message port would not be safe, because the page would
   * have to pass it on and could keep one end.
   */
  tellAll(message: SiblingMessage): void {
    const { parent } = window;
    for (let index = 0; index < parent.length; index += 1) {
      const sibling = parent[index];
      if (sibling !== undefined && sibling !== window) this.tell(sibling, message);
    }
  }

  /**
   * Returns true if a message belongs to the same instance. A value typed for one key must never reach the controller
   * of another key, which could belong to another tenant.
   */
  #isOfSameInstance({ sibling, key }: Readonly<Record<string, unknown>>): boolean {
    return sibling === this.address.nonce && key === this.#key && key !== null;
  }
}
