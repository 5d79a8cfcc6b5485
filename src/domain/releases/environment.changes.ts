// What a change of an environment's settings does, in sentences.
import type { EnvironmentTier, ProviderKind, ProviderSettings } from './release.ts';

export interface EnvironmentSettings {
  readonly tier: EnvironmentTier;
  /** The place of the environment in the order in which candidates reach environments, counted from 1. */
  readonly position: number;
  readonly provider: ProviderSettings;
  readonly reportTimeoutSec: number;
  readonly freezeAfterRollback: boolean;
  /** How long the freeze after a rollback lasts. Null: until somebody ends the freeze. */
  readonly freezeAfterRollbackSec: number | null;
}

export interface SettingChange {
  readonly field: keyof EnvironmentSettings;
  readonly sentence: string;
}

/** The settings that differ, in the order of their declaration. */
export function changesOfEnvironment(before: EnvironmentSettings, after: EnvironmentSettings): SettingChange[] {
  const sentences = {
    tier: `The tier is ${after.tier} instead of ${before.tier}.`,
    position: `The position is ${after.position} instead of ${before.position}.`,
    provider: providerSentence(before.provider.kind, after.provider.kind),
    reportTimeoutSec: `A deployment without a report is unknown after ${after.reportTimeoutSec} s instead of ${before.reportTimeoutSec} s.`,
    freezeAfterRollback: `The environment is ${after.freezeAfterRollback ? '' : 'not '}frozen after a rollback.`,
    freezeAfterRollbackSec: `The freeze after a rollback lasts ${lasting(after)} instead of ${lasting(before)}.`,
  } as const satisfies Record<keyof EnvironmentSettings, string>;
  const fields = Object.keys(sentences) as (keyof EnvironmentSettings)[];
  return fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => ({ field, sentence: sentences[field] }));
}

const providers = {
  none: 'an outside pipeline',
  command: 'a command',
  http: 'an HTTP endpoint',
  github_actions: 'a workflow of GitHub Actions',
} as const satisfies Record<ProviderKind, string>;

function providerSentence(before: ProviderKind, after: ProviderKind): string {
  return before === after
    ? `Deployments are made by ${providers[after]} with other settings.`
    : `Deployments are made by ${providers[after]} instead of ${providers[before]}.`;
}

function lasting({ freezeAfterRollbackSec: seconds }: EnvironmentSettings): string {
  return seconds === null ? 'until somebody ends it' : `${seconds} s`;
}
