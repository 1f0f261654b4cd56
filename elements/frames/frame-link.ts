import { type FrameAddress, readFrameHash } from '../protocol/frame-address.ts';
import type { ControllerReport, Envelope, FieldReport, SiblingMessage } from '../protocol/messages.ts';
import { isRecord } from '../protocol/parse.ts';

interface Listeners {
  /** What the page says. It can say anything: each kind of frame reads it field by field. */
  readonly onCommand: (command: Readonly<Record<string, unknown>>) => void;
  /** What another frame of the vault says, which runs our code. */
  readonly onSibling: (message: SiblingMessage, source: Window) => void;
}

type WithoutSender<Report> = Report extends unknown ? Omit<Report, 'element'> : never;

/** How a frame speaks with the page around it and with the other frames of the vault in that page. */
export class FrameLink {
  readonly address: FrameAddress;
  /** For which the vault has let this frame into the page. A page can load frames for the keys of others under one nonce. */
  readonly #key = new URLSearchParams(location.search).get('key');

  /** Undefined where no field may run: not in a frame, in a sandbox, without an address, or in a page of the vault's own origin. */
  static open(listeners: Listeners): FrameLink | undefined {
    const address = readFrameHash(location.hash);
    if (address === undefined || window.parent === window || address.pageOrigin === location.origin) return undefined;
    // In a sandbox, the frame has lost its origin, and none of its siblings would hear it.
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
      // Only frames of this origin get past this line; they are files of the vault.
      if (origin === location.origin && this.#isOfSameInstance(data) && source !== null) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        onSibling(data as unknown as SiblingMessage, source as Window);
      }
    });
  }

  /** Reaches the page that the address names, and nobody if another one is there. */
  report(report: WithoutSender<FieldReport | ControllerReport>): void {
    const { nonce, element, pageOrigin } = this.address;
    const message: Envelope & { readonly element: string } = { ...report, element, strongroom: nonce };
    window.parent.postMessage(message, pageOrigin);
  }

  /** Reaches a window only while it shows a page of this origin. */
  tell(sibling: Window, message: SiblingMessage): void {
    sibling.postMessage({ ...message, sibling: this.address.nonce, key: this.#key }, location.origin);
  }

  /** All frames of the page get it that are of this origin. No port is used: the page would broker it and keep an end. */
  tellAll(message: SiblingMessage): void {
    const { parent } = window;
    for (let index = 0; index < parent.length; index += 1) {
      const sibling = parent[index];
      if (sibling !== undefined && sibling !== window) this.tell(sibling, message);
    }
  }

  /** What is typed for one key never reaches the controller of another: that could be in the vault of somebody else. */
  #isOfSameInstance({ sibling, key }: Readonly<Record<string, unknown>>): boolean {
    return sibling === this.address.nonce && key === this.#key && key !== null;
  }
}
