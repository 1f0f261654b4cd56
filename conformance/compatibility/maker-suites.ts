/** A test of the makers that cannot pass on a vault, with the feature that it would need. */
interface FailingTest {
  readonly name: string;
  readonly needs: string;
}

/** A suite that the makers of a client run against their own service, unchanged. */
export interface MakerSuite {
  readonly name: string;
  /** The file in the repository of the client. */
  readonly file: string;
  /** The environment variable that names a folder with that repository, for a run. */
  readonly variable: string;
  readonly passing: readonly string[];
  readonly failing: readonly FailingTest[];
}

/**
 * `conformance/makers` runs both suites if the folders are given. It fails if a test is missing here or has a different
 * result.
 */
export const canarySuite: MakerSuite = {
  name: 'node-sdk 6.1.1',
  file: 'tests/integration/canary.test.ts',
  variable: 'CONFORMANCE_NODE_SDK_SOURCE',
  passing: [
    'Authentication should authenticate at instance',
    'Request Correlation should support request headers',
    'Tokens should create and update',
    'Tokenize should tokenize (basic)',
    'Tokenize should tokenize',
    'Tokenize should tokenize (card)',
    'Tokenize should tokenize (array)',
    'Tokenize should tokenize (composite)',
    'detokenize should detokenize',
    'detokenize should detokenize (array)',
    'client encryption keys should support lifecycle',
    'token intents should call token intents',
    'Canary should call tenant/self',
    'Canary should support idempotency headers',
    'Canary should paginate on tokens/list v2',
    'Canary should manage webhook lifecycle',
  ],
  failing: [
    { name: 'Authentication should fail on unauthorized', needs: 'nothing: the makers skip it' },
    { name: 'Documents should support lifecyle', needs: 'documents' },
    { name: 'Proxies should support lifecycle', needs: 'code in stored proxies' },
    { name: 'Reactors should support lifecycle', needs: 'reactors' },
    { name: 'enrichments should return bank account verification', needs: 'enrichments' },
    { name: 'google pay should call; Expect signing key expired error', needs: 'Google Pay' },
    { name: 'Canary should support token lifecycle', needs: 'reactors' },
  ],
};

export const pythonSuite: MakerSuite = {
  name: 'python-sdk 7.0.0',
  file: 'tests/custom/test_client.py',
  variable: 'CONFORMANCE_PYTHON_SDK_SOURCE',
  passing: [
    'test_should_get_self',
    'test_tokenize_basic',
    'test_tokenize_token',
    'test_tokenize_card',
    'test_tokenize_array',
    'test_tokenize_composite',
    'test_detokenize_single',
    'test_detokenize_list',
    'test_should_support_client_encryption_key_lifecycle',
    'test_should_create_token_intent',
    'test_should_support_idempotency_header',
    'test_should_paginate_on_list_v2',
    'test_should_manage_webhooks_lifecycle',
  ],
  failing: [
    { name: 'test_proxy_lifecycle', needs: 'code in stored proxies' },
    { name: 'test_should_create_update_patch_reactors', needs: 'reactors' },
    { name: 'test_bank_account_verify', needs: 'enrichments' },
    { name: 'test_should_support_token_lifecycle', needs: 'reactors' },
    { name: 'test_should_support_google_pay', needs: 'Google Pay' },
    { name: 'test_documents_lifecycle', needs: 'documents' },
  ],
};

/** Returns text such as `13 of 23`. */
export function toShare({ passing, failing }: MakerSuite): string {
  return `${passing.length} of ${passing.length + failing.length}`;
}
