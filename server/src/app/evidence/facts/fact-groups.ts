import type { FactDefinition } from '../../../core/evidence/fact.ts';
import { accessFacts } from './access-facts.ts';
import type { FactGroup } from './fact-group.ts';
import { installationFacts } from './installation-facts.ts';
import { keyFacts } from './key-facts.ts';
import { logFacts } from './log-facts.ts';
import { operationFacts } from './operation-facts.ts';
import { peopleFacts } from './people-facts.ts';
import { retentionFacts } from './retention-facts.ts';
import { storedDataFacts } from './stored-data-facts.ts';

/** All groups. The one that takes longest, because it goes through the log, is the last. */
export const factGroups: readonly FactGroup[] = [
  installationFacts,
  storedDataFacts,
  retentionFacts,
  accessFacts,
  keyFacts,
  peopleFacts,
  operationFacts,
  logFacts,
];

/** Every fact of a bundle. */
export const allFacts: readonly FactDefinition[] = factGroups.flatMap(({ facts }) => facts);
