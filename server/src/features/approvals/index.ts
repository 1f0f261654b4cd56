export type { ApprovalDescription, ApprovalEffect, ApprovalRequest, ApprovedRequest } from './approval.ts';
export { operatorCaller, operatorId, staleRequest } from './approval.ts';
export {
  ApprovalDecisions,
  approvalPagesMax,
  type ListedRequest,
  type RequestPage,
  type RequesterFinder,
} from './approval-decisions.ts';
export { ApprovalView, toApprovalField } from './approval-schemas.ts';
export { ApprovalStore } from './approval-store.ts';
export { type WithApproval, withApprovals } from './latest-approvals.ts';
export { requestApproval, requireSameBasis } from './request-approval.ts';
export { sweepApprovalsJob } from './sweep-approvals-job.ts';
