import { controllerElement } from '../protocol/frame-address.ts';
import type { ControllerCommand, ServiceCall } from '../protocol/messages.ts';
import { isRecord } from '../protocol/parse.ts';
import { type ErrorPrefix, StrongroomApiError, StrongroomValidationError } from './errors.ts';
import { Frame, type Report } from './frame.ts';
import { awaitStart } from './frame-start.ts';
import { defer } from './deferred.ts';

const replyWithinMs = 60_000;

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface ControllerParts {
  readonly key: string;
  readonly keyId: string;
  readonly origin: string;
  readonly nonce: string;
  readonly errors: ErrorPrefix;
}

/** The page's side of the hidden frame that calls the vault. */
export class Controller {
  readonly ready: Promise<void>;
  readonly #frame: Frame;
  readonly #pending = new Map<number, PendingCall>();
  #lastCall = 0;

  readonly #errors: ErrorPrefix;

  constructor({ key, keyId, origin, nonce, errors }: ControllerParts) {
    this.#errors = errors;
    const address = { nonce, element: controllerElement, pageOrigin: location.origin };
    const onReport = (report: Report) => {
      if (report.kind === 'hello') this.#frame.send({ kind: 'setup', key });
      if (report.kind === 'ready') start.succeed();
      if (report.kind === 'refused') start.fail(new Error(String(report['reason'])));
      if (report.kind === 'result') this.#settle(report);
    };
    this.#frame = new Frame({ document: 'controller', origin, keyId, address, title: 'Secure fields', onReport });
    document.body.append(this.#frame.element);
    const start = awaitStart(this.#frame, { origin, keyId });
    this.ready = start.started.catch((error: unknown) => {
      this.#frame.remove();
      throw error;
    });
  }

  get isConnected(): boolean {
    return this.#frame.element.isConnected;
  }

  tell(command: ControllerCommand): void {
    this.#frame.send(command);
  }

  async call(call: ServiceCall): Promise<unknown> {
    await this.ready;
    this.#lastCall += 1;
    const id = this.#lastCall;
    const { promise, resolve, reject } = defer<unknown>();
    const timer = setTimeout(
      () => this.#pending.get(id)?.reject(new Error('The vault did not respond in time.')),
      replyWithinMs,
    );
    this.#pending.set(id, { resolve, reject });
    this.#frame.send({ kind: 'call', id, call });
    return promise.finally(() => {
      clearTimeout(timer);
      this.#pending.delete(id);
    });
  }

  #settle({ id, outcome }: Readonly<Record<string, unknown>>): void {
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending === undefined || !isRecord(outcome)) return;
    const { api, invalid, refused } = outcome;
    if (isRecord(api))
      pending.reject(new StrongroomApiError(String(api['message']), Number(api['status']), api['data'], this.#errors));
    else if (isRecord(invalid)) {
      const errors = Array.isArray(invalid['errors']) ? invalid['errors'] : [];
      pending.reject(
        new StrongroomValidationError('What was typed is not valid.', invalid['details'], errors, this.#errors),
      );
    } else if (typeof refused === 'string') pending.reject(new Error(refused));
    else pending.resolve(outcome['value']);
  }
}
