export { DetokenizeService } from './detokenize-service.ts';
export { compileDocument, compileText, type ReferenceTemplate } from './reference-template.ts';
export { type JudgedToken, ReferencedTokens } from './referenced-tokens.ts';
export { addTokenizeRoutes } from './tokenize-routes.ts';
export { TokenizeService } from './tokenize-service.ts';
