import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FairLanes } from '../../platform/waiting/fair-lanes.ts';
import { findCaller } from '../callers/authentication.ts';
import type { BodyMemory } from './body-memory.ts';
import { announcedBytes, BodyReading, type BodyForm, type Done, refuseBody, tooLarge } from './body-reading.ts';
import type { ClientFinder } from '../connections/client-address.ts';

const response = Symbol('response to the request');
const reading = Symbol('reading of the body');

declare module 'fastify' {
  interface FastifyInstance {
    readonly bodyReader: BodyReader;
  }
  interface FastifyRequest {
    [response]: FastifyReply['raw'] | undefined;
    [reading]: BodyReading | undefined;
  }
}

/** Limits for large bodies: four at a time, and two per tenant. A parsed body takes up to twenty times its length. */
const largeBodyLanes = { slotsMax: 4, waitingMax: 200, waitMaxMs: 10_000 };

export function addBodyReader(app: FastifyInstance, parts: { memory: BodyMemory; clientOf: ClientFinder }): void {
  app.decorate('bodyReader', new BodyReader(parts));
  app.decorateRequest(response, undefined);
  app.decorateRequest(reading, undefined);
  app.addHook('preParsing', (request, reply, _payload, done) => {
    request[response] = reply.raw;
    done();
  });
  // The request leaves its lane here and not when the client has read the response, because the client decides how long
  // that takes.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request[reading]?.leaveLane();
    done(null, payload);
  });
}

/** Reads bodies up to a maximum size into memory that is accounted for until the request ends. */
export class BodyReader {
  readonly #memory: BodyMemory;
  readonly #clientOf: ClientFinder;
  readonly #lanes = new FairLanes(largeBodyLanes);

  constructor(parts: { memory: BodyMemory; clientOf: ClientFinder }) {
    this.#memory = parts.memory;
    this.#clientOf = parts.clientOf;
  }

  read(request: FastifyRequest, form: BodyForm, done: Done): void {
    if ((announcedBytes(request) ?? 0) > form.sizeMax) {
      refuseBody(request, tooLarge(), done);
      return;
    }
    const enterLane = () => this.#lanes.enter(findCaller(request)?.tenantId ?? 'vault');
    const begun = new BodyReading(request, form, { enterLane, done });
    request[reading] = begun;
    begun.begin(request[response], (giveUp) => this.#memory.open(this.#clientOf(request).network, giveUp));
  }
}
