// Tools about a repository's configuration. None of them changes the configuration, because only a pull request or a
// person should.
import { z } from 'zod';
import {
  McpCheckConfigurationDocument,
  McpConfigurationDocument,
  McpSimulateConfigurationDocument,
  type McpProblemFragment,
} from '../generated/operations.ts';
import { defineTool, lower, repository, repositoryOf, unknownRepository, untrusted } from '../tool.ts';

const yaml = z.string().max(262_144).describe('The whole document of the configuration, as YAML.');

const showConfiguration = defineTool({
  name: 'show_configuration',
  title: 'Show a configuration',
  description: 'Shows the configuration in force of a repository, as YAML.',
  effect: 'reads',
  scopes: ['config:read'],
  input: z.strictObject({ repository }),
  run: async ({ repository: text }, { api }) => {
    const { repository: found } = await api.ask(McpConfigurationDocument, repositoryOf(text));
    if (!found) throw unknownRepository(text);
    return { repository: text, yaml: untrusted(found.configuration.yaml) };
  },
});

const checkConfiguration = defineTool({
  name: 'check_configuration',
  title: 'Check a configuration',
  description:
    'Checks a configuration without saving it: its problems with line and column, or the keys that would change and what that does to builds and landings.',
  effect: 'reads',
  scopes: ['config:read'],
  input: z.strictObject({ repository, yaml }),
  run: async (args, { api }) => {
    const input = { repository: repositoryOf(args.repository), yaml: args.yaml };
    const { previewConfiguration } = await api.ask(McpCheckConfigurationDocument, { input });
    const { accepted, problems, changedKeys, impact } = previewConfiguration;
    return {
      accepted,
      problems: problems.map(problemOf),
      changed_keys: changedKeys.map(({ key, before, after, mark }) => ({ key, before, after, mark: lower(mark) })),
      would: untrusted(impact?.sentence ?? null),
    };
  },
});

function problemOf({ path, reason, line, column }: McpProblemFragment): object {
  return { key: path.join('.'), reason, line, column };
}

const simulateConfiguration = defineTool({
  name: 'simulate_configuration',
  title: 'Simulate a configuration',
  description:
    'Replays the last days of a queue under its configuration and under another one, and compares waits (seconds), merges, builds and blocked pull requests. Nothing is changed. It takes up to a minute, and an account has one at a time.',
  effect: 'reads',
  scopes: ['analytics:read'],
  input: z.strictObject({
    repository,
    yaml: yaml.optional().describe('The other configuration, as YAML. Left out: only the one in force.'),
    base_branch: z.string().min(1).optional().describe('Left out: the default branch.'),
    days: z.int().min(1).max(90).default(7).describe('How many days to replay.'),
  }),
  run: async (args, { api }) => {
    const input = {
      repository: repositoryOf(args.repository),
      days: args.days,
      ...(args.yaml !== undefined && { yaml: args.yaml }),
      ...(args.base_branch !== undefined && { baseBranch: args.base_branch }),
    };
    const { simulateQueue } = await api.ask(McpSimulateConfigurationDocument, { input });
    const { accepted, arrivals, assumptions, problems, observed, present, other } = simulateQueue;
    return {
      accepted,
      problems: problems.map(problemOf),
      arrivals,
      assumptions,
      observed: tallyOf(observed),
      with_present_configuration: tallyOf(present),
      with_other_configuration: tallyOf(other),
    };
  },
});

interface Tally {
  readonly landed: number;
  readonly landedPerHour: number;
  readonly builds: number;
  readonly ejected: number;
  readonly waits: { readonly p50: number; readonly p90: number } | null;
}

function tallyOf(tally: Tally | null): object | null {
  if (tally === null) return null;
  const { landed, landedPerHour, builds, ejected, waits } = tally;
  return {
    merged: landed,
    merged_per_hour: landedPerHour,
    builds,
    blocked: ejected,
    wait_seconds_p50: waits?.p50 ?? null,
    wait_seconds_p90: waits?.p90 ?? null,
  };
}

export const configurationTools = [showConfiguration, checkConfiguration, simulateConfiguration];
