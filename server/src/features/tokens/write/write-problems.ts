import type { ErrorCode } from '../../../core/errors/domain-error.ts';

/** What can be wrong with creating tokens, besides the request itself. */
export const writeProblems: readonly ErrorCode[] = [
  'not-found',
  'token-id-taken',
  'too-many-container-sets',
  'version-conflict',
];
