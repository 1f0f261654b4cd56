export { VaultWriter } from './batch-writer.ts';
export { readCsvHeader } from './csv-header.ts';
export { type FieldMap, parseFieldMap, toColumnTargets } from './field-map.ts';
export { PreparerPool } from './preparer-pool.ts';
export { RehearsalWriter } from './rehearsal-writer.ts';
export { RejectFile } from './reject-file.ts';
export { type ImportReport, nothingYet, TokenImport } from './token-import.ts';
