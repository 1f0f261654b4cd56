import { BasisTheory, BasisTheoryClient, BasisTheoryError } from '@basis-theory/node-sdk';
import * as earlier from '@basis-theory/node-sdk-2';

type ErrorClass = new (...parts: never[]) => Error;

/** One published version of the client for Node.js, as the suites drive it. */
export interface NodeClient {
  readonly name: string;
  readonly open: (apiKey: string, url: string) => BasisTheoryClient;
  /** What it throws, by the status that it stands for. */
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

/** The last one with `tokens.list` and `tokens.search`. What it shares with the newest has the same signatures. */
export const older: NodeClient = {
  name: 'node-sdk 2.6.1',
  open: (apiKey, environment) => new earlier.BasisTheoryClient({ apiKey, environment }) as unknown as BasisTheoryClient,
  errors: {
    any: earlier.BasisTheoryError,
    badRequest: earlier.BasisTheory.BadRequestError,
    unauthorized: earlier.BasisTheory.UnauthorizedError,
    forbidden: earlier.BasisTheory.ForbiddenError,
    notFound: earlier.BasisTheory.NotFoundError,
    conflict: earlier.BasisTheory.ConflictError,
    unprocessable: earlier.BasisTheory.UnprocessableEntityError,
  },
};

export const nodeClients: readonly NodeClient[] = [newest, older];

export function openEarlier(apiKey: string, environment: string): earlier.BasisTheoryClient {
  return new earlier.BasisTheoryClient({ apiKey, environment });
}
