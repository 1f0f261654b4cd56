export { DetokenizeService } from './detokenize-service.ts';
export type { EncryptedPart } from './encrypted-references.ts';
export { compileDocument, compileText, type ReferenceTemplate } from './reference-template.ts';
export { type JudgedReferences, readEvents, ReferencedTokens } from './referenced-tokens.ts';
export { addTokenizeRoutes } from './tokenize-routes.ts';
export { TokenizeService } from './tokenize-service.ts';
