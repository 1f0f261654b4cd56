import { Command } from 'commander';
import { eraseCommand, erasuresCommand } from './tokens-erase.ts';
import { receiptCommand } from './tokens-receipt.ts';

export function tokensCommand(): Command {
  return new Command('tokens')
    .description('Erase tokens that belong together, and write or check the signed receipt of it.')
    .addCommand(eraseCommand())
    .addCommand(erasuresCommand())
    .addCommand(receiptCommand());
}
