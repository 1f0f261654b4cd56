export { ExportApprovals } from './export-approvals.ts';
export { type ExportHead, ManifestWriter } from './export-manifest.ts';
export { ExportRunner } from './export-runner.ts';
export { checkManifest, type ManifestVerdict } from './manifest-check.ts';
export type { TokenExport } from './token-export.ts';
