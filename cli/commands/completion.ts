// The command completion, which prints a script for a shell. The shell then runs the hidden command `complete` at each
// Tab.
import type { Command } from 'commander';
import { examples } from './invocation.ts';

/**
 * The script for bash calls this function of the package bash-completion, which many machines do not have. Without the
 * package, a word that contains a colon is completed in parts.
 */
const wordsOfBash = `if ! declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref() {
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD
        cur=\${words[cword]} prev=\${words[cword-1]}
    }
fi
`;

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
    ?.hook('preAction', (_, { args }) => {
      if (args[0] === 'bash') program.configureOutput().writeOut?.(wordsOfBash);
    })
    .description('Prints a script that completes commands and options in bash, zsh, fish or powershell.')
    .addHelpText('after', examples('source <(interlock completion bash)', 'interlock completion fish | source'));
}
