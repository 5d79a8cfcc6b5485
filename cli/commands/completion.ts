// The command completion, which prints a script for a shell. The shell then runs the hidden command `complete` at each
// Tab.
import type { Command } from 'commander';
import { examples } from './invocation.ts';

/**
 * Adds the command `completion`. It must be added after all other commands, because the library completes only commands
 * that exist at this moment.
 */
export async function addCompletion(program: Command, name: string | undefined): Promise<void> {
  if (name === 'completion' || name === 'complete') {
    const { default: complete } = await import('@bomb.sh/tab/commander');
    complete(program, { completionCommandName: 'completion' });
  } else program.addCommand(program.createCommand('completion').argument('<shell>'));
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('Prints a script that completes commands and options in bash, zsh, fish or powershell.')
    .addHelpText('after', examples('source <(interlock completion bash)', 'interlock completion fish | source'));
}
