/** What each background task does, after "It". Tasks of a later version have only their name. */
const tasks: Readonly<Record<string, string>> = {
  'abandoned-proxy-calls': 'records calls through the proxy whose server stopped',
  'audit-partitions': 'prepares the log for the coming months',
  'audit-retention': 'removes records of the log after the time that an operator has set',
  'deliver-webhook': 'delivers events to a webhook',
  'keep-evidence': 'keeps evidence of the past month in the archive of the log',
  'mail-invitation': 'mails an invitation',
  'mail-webhook': 'tells owners and admins that a webhook fails',
  'purge-tenant': 'removes what a deleted tenant has stored',
  'remove-tenants': 'removes tenants seven days after they were deleted',
  'stream-log': 'copies the log to another system',
  'sweep-approvals': 'removes requests for approval that have ended',
  'sweep-claims': 'removes what an interrupted import left',
  'sweep-codes': 'removes verification codes after their hour',
  'sweep-container-sets': 'removes sets of containers that no token is in',
  'sweep-deliveries': 'removes old deliveries of webhooks',
  'sweep-idempotency': 'removes stored responses that are no longer needed',
  'sweep-intent-codes': 'removes verification codes of token intents',
  'sweep-invitations': 'removes invitations that have ended',
  'sweep-legal-holds': 'removes legal holds a year after they ended',
  'sweep-sessions': 'removes sessions that have ended',
  'sweep-token-intents': 'removes token intents that have expired',
  'sweep-tokens': 'removes tokens that have expired',
};

/** Returns a sentence about a task, or undefined if it is not known. */
export function sayTask(task: string): string | undefined {
  const does = tasks[task];
  return does === undefined ? undefined : `It ${does}.`;
}
