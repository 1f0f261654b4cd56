/** What has just been done, in the order in which it is. Some are told many times. */
export type MoveStep =
  | 'began'
  | 'page-copied'
  | 'copied'
  | 'followed'
  | 'leaving'
  | 'released'
  | 'followed-all'
  | 'uncounted'
  | 'taken-back'
  | 'held'
  | 'arrived'
  | 'page-deleted'
  | 'deleted'
  | 'giving-up'
  | 'ended';
