import type { FieldValue, HeldValue, SiblingMessage } from '../../protocol/messages.ts';
import type { FrameLink } from '../frame-link.ts';
import { RefusedCall } from './refused-call.ts';

const replyWithinMs = 5_000;

/** The fields that have joined this instance, and the pending requests for their values. */
export class JoinedFields {
  readonly #link: () => FrameLink | undefined;
  readonly #onShown: (digits: string) => void;
  readonly #fields = new Map<string, Window>();
  readonly #questions = new Map<number, { readonly source: Window; readonly reply: (held: HeldValue) => void }>();
  /** Maps each element to the elements that show its value. */
  readonly #followers = new Map<string, Set<string>>();
  /** The brand of the number in each field that has reported one. */
  readonly #brands = new Map<Window, string | undefined>();
  #lastQuestion = 0;

  /** `onShown` is called with numbers whose first and last digits a field has shown to the page. */
  constructor(link: () => FrameLink | undefined, onShown: (digits: string) => void) {
    this.#link = link;
    this.#onShown = onShown;
  }

  /** Handles a message from a field: it joins, replies, or reports a change. */
  hear(message: SiblingMessage, source: Window): void {
    if (message.kind === 'join') this.#join(message.element, source);
    if (message.kind === 'value') {
      const question = this.#questions.get(message.question);
      if (question?.source === source) question.reply(message);
    }
    if (message.kind === 'changed') this.#passOn(message.value, source);
    if (message.kind === 'brand' && this.#hasJoined(source)) {
      this.#brands.set(source, message.brand);
      this.#tellBrands();
    }
    if (message.kind === 'shown') this.#onShown(message.digits);
  }

  /** Tells the fields that the page is about to see the first and last digits of these numbers in tokens. */
  noteTokens(numbers: readonly string[]): void {
    for (const source of this.#fields.values())
      for (const digits of numbers) this.#link()?.tell(source, { kind: 'shown', digits });
  }

  ask(element: string): Promise<HeldValue> {
    const source = this.#fields.get(element);
    if (source === undefined) return Promise.reject(new RefusedCall('An element in the payload is not mounted.'));
    this.#lastQuestion += 1;
    const question = this.#lastQuestion;
    return new Promise<HeldValue>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#questions.delete(question);
        reject(new RefusedCall('An element in the payload is not mounted any more.'));
      }, replyWithinMs);
      const reply = (held: HeldValue) => {
        clearTimeout(timer);
        this.#questions.delete(question);
        resolve(held);
      };
      this.#questions.set(question, { source, reply });
      this.#link()?.tell(source, { kind: 'ask', question });
    });
  }

  fill(element: string, value: FieldValue): void {
    const source = this.#fields.get(element);
    if (source !== undefined) this.#link()?.tell(source, { kind: 'fill', value });
  }

  follow({ from, to }: { readonly from: string; readonly to: string }): void {
    const source = this.#fields.get(from);
    // A cycle would forward a value forever.
    if (source === undefined || this.#leadsTo(to, from)) return;
    const followers = this.#followers.get(from) ?? new Set();
    this.#followers.set(from, followers.add(to));
    this.#link()?.tell(source, { kind: 'watch' });
  }

  forget(element: string): void {
    const source = this.#fields.get(element);
    this.#fields.delete(element);
    this.#followers.delete(element);
    for (const followers of this.#followers.values()) followers.delete(element);
    if (source !== undefined && this.#brands.delete(source)) this.#tellBrands();
  }

  #leadsTo(from: string, to: string): boolean {
    return from === to || [...(this.#followers.get(from) ?? [])].some((follower) => this.#leadsTo(follower, to));
  }

  /** Registers a field. A frame that is moved within its page restarts in the same window. */
  #join(element: string, source: Window): void {
    const known = this.#fields.get(element);
    if (known !== undefined && known !== source && !known.closed) return;
    this.#fields.set(element, source);
    this.#link()?.tell(source, { kind: 'joined' });
    this.#tellBrand(source);
  }

  #hasJoined(source: Window): boolean {
    return [...this.#fields.values()].includes(source);
  }

  #tellBrands(): void {
    for (const field of this.#fields.values()) this.#tellBrand(field);
  }

  /** Tells a field the brand of the number beside it. With several numbers, none is known to be the code's. */
  #tellBrand(field: Window): void {
    const [brand] = this.#brands.size === 1 ? this.#brands.values() : [];
    this.#link()?.tell(field, { kind: 'brand', brand });
  }

  #passOn(value: FieldValue, source: Window): void {
    for (const [from, followers] of this.#followers) {
      if (this.#fields.get(from) !== source) continue;
      for (const follower of followers) this.fill(follower, value);
    }
  }
}
