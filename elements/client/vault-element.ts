import type { ElementState, FieldProblem } from '../protocol/element-state.ts';
import type { ElementType } from '../protocol/element-type.ts';
import type { FieldSetup } from '../protocol/field-options.ts';
import type { ControllerCommand, ValueReference } from '../protocol/messages.ts';
import { type Deferred, defer } from './deferred.ts';
import { ElementEvents, type EventType, type Listener, type Subscription } from './element-events.ts';
import { type ElementOptions, toFieldChange } from './element-options.ts';
import { Frame, type Report } from './frame.ts';
import { awaitStart, type FrameStart } from './frame-start.ts';
import { ContainerLabels } from './container-labels.ts';
import { readProblems, readState } from './read-state.ts';
import { describeSurroundings, findTitle } from './surroundings.ts';

/** The parts of the instance that an element uses. */
export interface ElementHost {
  readonly origin: string;
  readonly keyId: string;
  readonly nonce: string;
  /** Resolves when the controller is ready. */
  readonly ready: Promise<void>;
  tellController(command: ControllerCommand): void;
  /** Unmounts the element if its container is removed from the page. */
  watch(element: VaultElement): void;
  unwatch(element: VaultElement): void;
  /** Focuses the element that comes next in the page. */
  focusNext(element: VaultElement): void;
}

const untouched: ElementState = { empty: true, complete: false, valid: false };

/** A field in the page. Text typed into it stays in a frame of the vault. */
export class VaultElement {
  readonly id: string;
  readonly type: ElementType;
  readonly #host: ElementHost;
  readonly #events = new ElementEvents();
  readonly #updates = new Map<number, Deferred<void>>();
  #options: ElementOptions;
  #frame: Frame | undefined;
  #container: Element | undefined;
  #labels: ContainerLabels | undefined;
  #mounting: Promise<void> | undefined;
  #start: FrameStart | undefined;
  #isMounted = false;
  #state = untouched;
  #problems: readonly FieldProblem[] = [];
  #lastUpdate = 0;

  constructor(parts: { host: ElementHost; id: string; type: ElementType; options: ElementOptions }) {
    this.id = parts.id;
    this.type = parts.type;
    this.#host = parts.host;
    // Invalid options are rejected here, in the caller's stack, instead of when the frame starts.
    toFieldChange(parts.options);
    this.#options = parts.options;
  }

  get mounted(): boolean {
    return this.#isMounted;
  }

  get metadata(): Pick<ElementState, 'empty' | 'complete' | 'valid' | 'maskSatisfied' | 'errors'> {
    const { cardBrand: _, cardBin: __, cardLast4: ___, ...metadata } = this.#state;
    return metadata;
  }

  get cardMetadata(): Pick<ElementState, 'cardBrand' | 'cardBin' | 'cardLast4'> | undefined {
    const { cardBrand, cardBin, cardLast4 } = this.#state;
    if (cardBrand === undefined) return undefined;
    return {
      cardBrand,
      ...(cardBin === undefined ? {} : { cardBin }),
      ...(cardLast4 === undefined ? {} : { cardLast4 }),
    };
  }

  /** The reasons why the value is not accepted, each with a sentence to show. Change events come with every new reason. */
  get problems(): readonly FieldProblem[] {
    return this.#problems;
  }

  /** True if the page has removed the element's container. */
  get isOrphaned(): boolean {
    return this.#container?.isConnected === false;
  }

  mount(target: string | Element): Promise<void> {
    if (this.#frame !== undefined) return Promise.reject(new Error('The element is mounted already.'));
    const container = typeof target === 'string' ? document.querySelector(target) : target;
    if (container === null) return Promise.reject(new Error('There is nothing in the page to mount the element into.'));
    this.#mounting = this.#mount(container);
    return this.#mounting;
  }

  async #mount(container: Element): Promise<void> {
    const { origin, keyId, nonce, ready } = this.#host;
    const { enableCopy } = this.#options;
    this.#container = container;
    const labels = new ContainerLabels(container, () => this.focus());
    this.#labels = labels;
    const frame = new Frame({
      document: 'field',
      origin,
      keyId,
      address: { nonce, element: this.id, pageOrigin: location.origin },
      title: findTitle(this.type, this.#options, labels.text),
      mayCopy: enableCopy === true || this.type === 'copyButton',
      onReport: (report) => this.#hear(report, start),
    });
    this.#frame = frame;
    const start = awaitStart(frame, { origin, keyId });
    this.#start = start;
    try {
      await ready;
      // The element may have been unmounted while the controller was starting.
      if (this.#frame === frame) {
        container.append(frame.element);
        this.#host.watch(this);
      }
      await start.started;
    } catch (error) {
      if (this.#frame === frame) this.unmount();
      throw error;
    }
    this.#isMounted = true;
    this.#events.emit({ type: 'ready' });
  }

  async update(options: ElementOptions): Promise<void> {
    const change = toFieldChange(options);
    this.#options = { ...this.#options, ...options };
    // The frame may already have received the previous options.
    if (this.#frame !== undefined) await this.#whenMounted();
    if (!this.#isMounted) return;
    this.#lastUpdate += 1;
    const update = defer<void>();
    this.#updates.set(this.#lastUpdate, update);
    if (this.#frame !== undefined) this.#frame.element.title = findTitle(this.type, this.#options, this.#labels?.text);
    this.#frame?.send({ kind: 'update', id: this.#lastUpdate, change });
    await update.promise;
  }

  validate(): void {
    this.#frame?.send({ kind: 'validate' });
  }

  clear(): void {
    this.#frame?.send({ kind: 'clear' });
  }

  focus(): void {
    // Safari moves the focus into a frame only after the frame itself has it.
    this.#frame?.element.focus();
    this.#frame?.send({ kind: 'focus' });
  }

  blur(): void {
    this.#frame?.send({ kind: 'blur' });
  }

  /** Shows a retrieved value. The page itself never receives it. */
  setValue(value: ValueReference | Readonly<Record<string, ValueReference | undefined>>): void {
    void this.#whenMounted().then(() => this.#host.tellController({ kind: 'fill', element: this.id, value }));
  }

  /** Shows the value of another element and follows its changes. */
  setValueRef(other: VaultElement): void {
    if (!(other instanceof VaultElement)) throw new Error('setValueRef needs an element.');
    void Promise.all([this.#whenMounted(), other.#whenMounted()]).then(() =>
      this.#host.tellController({ kind: 'link', from: other.id, to: this.id }),
    );
  }

  unmount(): void {
    this.#start?.fail(new Error('The element was unmounted before it was ready.'));
    this.#start?.started.catch(() => undefined);
    this.#start = undefined;
    this.#frame?.remove();
    this.#frame = undefined;
    this.#labels?.remove();
    this.#labels = undefined;
    this.#container = undefined;
    this.#isMounted = false;
    this.#state = untouched;
    this.#problems = [];
    for (const update of this.#updates.values()) update.resolve();
    this.#updates.clear();
    this.#host.unwatch(this);
    this.#host.tellController({ kind: 'forget', element: this.id });
  }

  on<Type extends EventType>(type: Type, listener: Listener<Type>): Subscription {
    return this.#events.on(type, listener);
  }

  async #whenMounted(): Promise<void> {
    await this.#mounting?.catch(() => undefined);
  }

  #hear(report: Report, start: FrameStart): void {
    switch (report.kind) {
      case 'hello':
        this.#frame?.send({ kind: 'setup', setup: this.#setup() });
        return;
      case 'refused':
        start.fail(new Error(String(report['reason'])));
        return;
      case 'ready':
        this.#take(report);
        start.succeed();
        return;
      case 'updated':
        this.#settleUpdate(report);
        return;
      case 'size':
        if (this.#frame !== undefined && typeof report['height'] === 'number')
          this.#frame.element.style.height = `${Math.min(Math.max(report['height'], 16), 400)}px`;
        return;
      case 'change':
        this.#take(report);
        this.#events.emit({ type: 'change', ...this.#state });
        return;
      case 'full':
        this.#host.focusNext(this);
        return;
      default:
        this.#emit(report);
    }
  }

  #take(report: Report): void {
    this.#state = readState(report['state']);
    this.#problems = readProblems(report['problems']);
  }

  /** Returns true if an element comes later in the page than this one. */
  isBefore(other: VaultElement): boolean {
    const container = other.#container;
    const position = container === undefined ? 0 : (this.#container?.compareDocumentPosition(container) ?? 0);
    return (position & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  }

  #setup(): FieldSetup {
    const { targetId, enableCopy } = this.#options;
    const label = this.#options['aria-label'] ?? this.#labels?.text;
    const change = toFieldChange({ ...this.#options, ...(label === undefined ? {} : { 'aria-label': label }) });
    const around = this.#container === undefined ? {} : describeSurroundings(this.#container);
    return { ...change, ...around, type: this.type, targetId: targetId ?? this.type, enableCopy };
  }

  #emit(report: Report): void {
    const targetId = String(report['targetId']);
    const { kind, key } = report;
    if (kind === 'focus' || kind === 'blur' || kind === 'click' || kind === 'copy')
      this.#events.emit({ type: kind, targetId });
    if (kind !== 'keydown' || (key !== 'Enter' && key !== 'Escape')) return;
    const { altKey, ctrlKey, shiftKey, metaKey } = report;
    this.#events.emit({
      type: 'keydown',
      targetId,
      key,
      altKey: altKey === true,
      ctrlKey: ctrlKey === true,
      shiftKey: shiftKey === true,
      metaKey: metaKey === true,
    });
  }

  #settleUpdate({ id, reason, ignored }: Readonly<Record<string, unknown>>): void {
    const update = typeof id === 'number' ? this.#updates.get(id) : undefined;
    if (update === undefined || typeof id !== 'number') return;
    this.#updates.delete(id);
    if (Array.isArray(ignored) && ignored.length > 0)
      // oxlint-disable-next-line no-console -- For the developer of the page.
      console.warn(`${ignored.join(', ')} cannot change after something was typed; the earlier setting stays.`);
    if (typeof reason === 'string') update.reject(new Error(reason));
    else update.resolve();
  }
}
