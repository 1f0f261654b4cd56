import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../../src/cli/command-line.ts';
import { toBlock, toCode, toPage, toParagraph, toTable } from './markdown.ts';

export interface NamedCommand {
  readonly name: string;
  readonly command: Command;
}

export function toCommandPage(): string {
  const program = createProgram(false);
  const commands = listCommands(program);
  return toPage('Command line', [
    toParagraph(
      'Every command takes `--help`, which prints what is below, and `--version`. With `--json`, a command prints JSON on standard output for scripts, and errors as JSON on standard error. [Settings](settings.md) come from the environment.',
    ),
    toParagraph(
      'The exit status is 0 for success, 2 if settings are missing or not valid or an HSM refuses its PIN, and 1 for every other failure, including a check that finds something.',
    ),
    toTable(
      ['Command', 'What it does'],
      commands
        .filter(({ command }) => command.commands.length === 0)
        .map(({ name, command }) => [`[${toCode(name)}](#${toAnchor(name)})`, command.description()]),
    ),
    toBlock(helpAfter(program), 'part of the output of strongroom --help'),
    ...commands.flatMap(toSection),
  ]);
}

/** Returns every command below this one, groups before their members. */
export function listCommands(program: Command): NamedCommand[] {
  return program.commands.flatMap((command) => {
    const name = `${program.name()} ${command.name()}`;
    const inner = listCommands(command).map((one) => ({ ...one, name: `${program.name()} ${one.name}` }));
    return [{ name, command }, ...inner];
  });
}

/** Returns the flags that are specific to a command. */
export function flagsOf(command: Command): readonly Option[] {
  return command.options.filter(({ long }) => long !== '--version');
}

function toSection({ name, command }: NamedCommand): string[] {
  const rows = [...command.registeredArguments.map(toArgumentRow), ...flagsOf(command).map(toFlagRow)];
  const help = helpAfter(command);
  return [
    `${'#'.repeat(Math.min(name.split(' ').length, 3))} ${name}`,
    toParagraph(command.description()),
    ...(rows.length === 0 ? [] : [toTable(['Argument or flag', 'What it is', 'Default'], rows)]),
    ...(help === '' ? [] : [toBlock(help, `part of the output of ${name} --help`)]),
  ];
}

function toArgumentRow(argument: Argument): string[] {
  const name = argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
  return [toCode(name), describe(argument), toDefault(argument, argument.required)];
}

function toFlagRow(option: Option): string[] {
  return [toCode(option.flags), describe(option), toDefault(option, option.mandatory)];
}

function describe({ description, argChoices }: Pick<Option, 'description' | 'argChoices'>): string {
  return argChoices === undefined ? description : `${description}: ${argChoices.map(toCode).join(', ')}`;
}

function toDefault({ defaultValue }: Pick<Option, 'defaultValue'>, isRequired: boolean): string {
  if (isRequired) return 'required';
  return defaultValue === undefined ? '–' : toCode(String(defaultValue));
}

/** Returns what a command prints below its list of flags. */
function helpAfter(command: Command): string {
  const printed: string[] = [];
  command.configureOutput({ writeOut: (text) => void printed.push(text) });
  command.outputHelp();
  // The first part is the usage, description and flags, wrapped to the width of the terminal.
  return printed.slice(1).join('').trim();
}

function toAnchor(name: string): string {
  return name.replaceAll(' ', '-');
}
