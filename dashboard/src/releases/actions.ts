// The actions on an environment. The dialog of each action shows what the action would do before the user confirms it.
import type { Client } from '@urql/core';
import { answerOf, type Action } from '../app/act.tsx';
import { instantOf } from '../app/errors.ts';
import { describeDuration } from '../design/time.tsx';
import { count, personOf, withoutDirections } from '../design/labels.ts';
import {
  CreateDeploymentDocument,
  CreateReleaseDocument,
  FreezeEnvironmentDocument,
  RollbackChangelogDocument,
  RollBackEnvironmentDocument,
  TipToCutDocument,
  UnfreezeEnvironmentDocument,
} from '../generated/releases.ts';

export interface EnvironmentRef {
  readonly project: string;
  readonly environment: string;
}

const pullRequestsShown = 8;

export function rollBackAction(client: Client, { project, environment }: EnvironmentRef): Action {
  const input = { project, environment, force: false };
  return {
    title: `Roll back ${environment}?`,
    verb: 'Roll back',
    harms: true,
    preview: async () => {
      const [{ rollBackEnvironment }, { releaseProject }] = await Promise.all([
        answerOf(client.mutation(RollBackEnvironmentDocument, { input: { ...input, preview: true } })),
        answerOf(client.query(RollbackChangelogDocument, { project, environment }, { requestPolicy: 'network-only' })),
      ]);
      const there = releaseProject?.environment;
      const removed = there?.rollback?.changelog.removed.pullRequests ?? [];
      const from = there?.running?.releaseCandidate.version ?? 'what runs now';
      const to = there?.rollback?.releaseCandidate.version ?? 'what ran before';
      const { impact } = rollBackEnvironment;
      const touchesOthers = impact && impact.cancels.length + impact.waitsFor.length > 0;
      const seconds = there?.freezeAfterRollbackSec;
      const frozenFor = typeof seconds !== 'number' ? '' : ` for ${describeDuration(seconds * 1000)}`;
      // While a deployment is in progress, or if it has failed, a rollback goes to the candidate that still counts as running.
      const change =
        from === to
          ? `${to}, which runs in ${environment}, is deployed again.`
          : `${environment} goes from ${from} back to ${to}.`;
      const leaving =
        removed.length === 0
          ? ''
          : ` ${count(removed.length, 'pull request leaves', 'pull requests leave')} ${environment}.`;
      return {
        sentence: `${change}${leaving} ${touchesOthers ? impact.sentence : 'Nothing else is canceled.'}`,
        lines: linesOf(removed),
        ...(there?.freezeAfterRollback && {
          note: `Then ${environment} is frozen${frozenFor}, so that nobody deploys over it by accident.`,
        }),
        pinned: there?.running?.releaseCandidate.version ?? null,
      };
    },
    run: async (_, shown) => {
      // The server refuses the rollback if the environment now runs another candidate than the preview showed.
      const ifRunning = shown?.pinned ?? null;
      await answerOf(client.mutation(RollBackEnvironmentDocument, { input: { ...input, preview: false, ifRunning } }));
      return `The rollback of ${environment} has started.`;
    },
  };
}

function linesOf(
  pullRequests: readonly { readonly number: number; readonly title: string; readonly author: string }[],
): readonly string[] {
  const more = pullRequests.length - pullRequestsShown;
  return [
    ...pullRequests
      .slice(0, pullRequestsShown)
      .map(({ number, title, author }) => `#${number} ${withoutDirections(title)}, by ${personOf(author)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

export function deployAction(
  client: Client,
  {
    project,
    environment,
    versions,
    isCut,
  }: EnvironmentRef & {
    readonly versions: readonly string[];
    /** Whether the project has earlier candidates, which the page does not show. */
    readonly isCut: boolean;
  },
): Action {
  const send = async (version: string, preview: boolean) => {
    const { createDeployment } = await answerOf(
      client.mutation(CreateDeploymentDocument, {
        input: { project, environment, version, preview, force: false, supersede: false },
      }),
    );
    return createDeployment.impact;
  };
  return {
    title: `Deploy to ${environment}`,
    verb: 'Deploy',
    harms: false,
    fields: [
      {
        name: 'version',
        label: isCut
          ? 'Which candidate (for an earlier one, first press “Show earlier” on the page)'
          : 'Which candidate',
        required: true,
        options: versions,
      },
    ],
    preview: async ({ version = '' }) => ({
      sentence: (await send(version, true))?.sentence ?? `${version} goes to ${environment}.`,
    }),
    run: async ({ version = '' }) => {
      await send(version, false);
      return `${version} is on its way to ${environment}.`;
    },
  };
}

/** Proposes the version after `version`, such as `2.14.0-rc4` after `2.14.0-rc3`. Null: there is no candidate yet. */
export function nextCandidate(version: string | null): string {
  const [, before = '', number = ''] = /^(.*-rc)(\d+)$/.exec(version ?? '') ?? [];
  return number === '' ? '1.0.0-rc1' : `${before}${Number(number) + 1}`;
}

interface CutFrom {
  readonly project: string;
  readonly repository: { readonly owner: string; readonly name: string; readonly defaultBranch: string };
  /** The newest candidate. Null: there is none. */
  readonly newest: string | null;
  /** Whether candidates of the project are built. */
  readonly isBuilt: boolean;
  /** Reads the candidates again, so that the new one is shown at once. */
  readonly refresh: () => void;
}

export function cutAction(client: Client, { project, repository, newest, isBuilt, refresh }: CutFrom): Action {
  const { owner, name, defaultBranch: branch } = repository;
  const commitOf = async (typed: string): Promise<string> => {
    if (typed !== '') return typed;
    const tip = await answerOf(
      client.query(TipToCutDocument, { owner, name, branch }, { requestPolicy: 'network-only' }),
    );
    return tip.repository?.queue?.baseTip ?? '';
  };
  return {
    title: `Cut a candidate of ${project}`,
    verb: 'Cut',
    harms: false,
    fields: [
      { name: 'version', label: 'Version', required: true, initial: nextCandidate(newest) },
      { name: 'commit', label: `Commit (empty: the tip of ${branch})` },
    ],
    preview: async ({ version = '', commit = '' }) => {
      const full = await commitOf(commit.trim());
      return {
        sentence:
          full === ''
            ? `The tip of ${branch} is not known yet, because nothing was ever queued for it. Name a commit.`
            : `${version} is the commit ${full.slice(0, 8)} of ${owner}/${name}. Nothing is deployed.`,
        pinned: full,
      };
    },
    run: async ({ version = '' }, shown) => {
      const { createRelease } = await answerOf(
        client.mutation(CreateReleaseDocument, {
          input: {
            project,
            version,
            repository: `${owner}/${name}`,
            // The tip may have moved since the preview.
            commit: shown?.pinned ?? '',
            triggerBuildWorkflow: isBuilt,
          },
        }),
      );
      refresh();
      return `${createRelease.releaseCandidate.version} is cut.`;
    },
  };
}

export function freezeAction(client: Client, { project, environment }: EnvironmentRef): Action {
  const send = async ({ reason = '', until = '' }, preview: boolean) => {
    const { freezeEnvironment } = await answerOf(
      client.mutation(FreezeEnvironmentDocument, {
        input: {
          project,
          environment,
          preview,
          reason: reason === '' ? null : reason,
          endsAt: instantOf(until, 'Until'),
        },
      }),
    );
    return freezeEnvironment.impact;
  };
  return {
    title: `Freeze ${environment}?`,
    verb: 'Freeze',
    harms: true,
    fields: [
      { name: 'reason', label: 'Reason (everybody sees it)' },
      { name: 'until', label: 'Until (empty: until somebody lifts the freeze)', type: 'datetime-local' },
    ],
    preview: async (values) => ({
      sentence: (await send(values, true))?.sentence ?? `Nothing is deployed to ${environment} meanwhile.`,
    }),
    run: async (values) => {
      await send(values, false);
      return `${environment} is frozen.`;
    },
  };
}

export function liftAction(client: Client, { project, environment }: EnvironmentRef): Action {
  const send = async (preview: boolean) => {
    const { unfreezeEnvironment } = await answerOf(
      client.mutation(UnfreezeEnvironmentDocument, { input: { project, environment, preview } }),
    );
    return unfreezeEnvironment;
  };
  return {
    title: `Lift the freeze of ${environment}?`,
    verb: 'Lift',
    harms: false,
    preview: async () => ({ sentence: (await send(true)).impact?.sentence ?? `${environment} is not frozen.` }),
    run: async () => {
      await send(false);
      return `${environment} is no longer frozen by hand.`;
    },
  };
}
