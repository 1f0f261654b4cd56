import { BasisTheory, BasisTheoryClient, BasisTheoryError } from '@basis-theory/node-sdk';
import * as earlier from '@basis-theory/node-sdk-2';
import { loadGivenClient } from './given-client.ts';

type ErrorClass = new (...parts: never[]) => Error;

/** A published version of the client for Node.js. */
export interface NodeClient {
  readonly name: string;
  readonly open: (apiKey: string, url: string) => BasisTheoryClient;
  /** The error classes of the client by HTTP status. */
  readonly errors: {
    readonly any: ErrorClass;
    readonly badRequest: ErrorClass;
    readonly unauthorized: ErrorClass;
    readonly forbidden: ErrorClass;
    readonly notFound: ErrorClass;
    readonly conflict: ErrorClass;
    readonly unprocessable: ErrorClass;
  };
}

export const newest: NodeClient = {
  name: 'node-sdk 5.7.0',
  open: (apiKey, environment) => new BasisTheoryClient({ apiKey, environment }),
  errors: {
    any: BasisTheoryError,
    badRequest: BasisTheory.BadRequestError,
    unauthorized: BasisTheory.UnauthorizedError,
    forbidden: BasisTheory.ForbiddenError,
    notFound: BasisTheory.NotFoundError,
    conflict: BasisTheory.ConflictError,
    unprocessable: BasisTheory.UnprocessableEntityError,
  },
};

/**
 * The last version with `tokens.list` and `tokens.search`. Calls that also exist in the newest version have the same
 * signatures.
 */
export const older: NodeClient = toNodeClient('2.6.1', earlier);

const given = loadGivenClient();

export const nodeClients: readonly NodeClient[] = [
  newest,
  older,
  ...(given === undefined ? [] : [toNodeClient(given.version, given.library)]),
];

export function openEarlier(apiKey: string, environment: string): earlier.BasisTheoryClient {
  return new earlier.BasisTheoryClient({ apiKey, environment });
}

function toNodeClient(version: string, { BasisTheory: api, ...library }: typeof earlier): NodeClient {
  return {
    name: `node-sdk ${version}`,
    open: (apiKey, environment) =>
      new library.BasisTheoryClient({ apiKey, environment }) as unknown as BasisTheoryClient,
    errors: {
      any: library.BasisTheoryError,
      badRequest: api.BadRequestError,
      unauthorized: api.UnauthorizedError,
      forbidden: api.ForbiddenError,
      notFound: api.NotFoundError,
      conflict: api.ConflictError,
      unprocessable: api.UnprocessableEntityError,
    },
  };
}
