// Counts the git processes that a service starts, by subcommand. Processes that git itself starts are not counted.
import type { Git } from '../src/hosts/git/index.ts';

export function countGits(git: Git): Map<string, number> {
  const counts = new Map<string, number>();
  const spawn = git.spawn.bind(git);
  git.spawn = (directory, args, env) => {
    const subcommand = args.find((arg) => !arg.startsWith('-')) ?? '';
    counts.set(subcommand, (counts.get(subcommand) ?? 0) + 1);
    return spawn(directory, args, env);
  };
  return counts;
}
