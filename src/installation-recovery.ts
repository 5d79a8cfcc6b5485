// Recovers an installation whose database was restored. An interrupted recovery is completed by another run, because
// everything that a run has not done yet is evidence that a recovery is needed.
import type { Ports } from './context.ts';
import { beginRecovery, recoverRepositories, surveyInstallation, type Survey } from './modules/queue/index.ts';
import {
  closeOpenBuilds,
  closeOpenDeployments,
  countOpenBuilds,
  countOpenDeployments,
} from './modules/releases/index.ts';
import { countOpenRunbooks, stopOpenRunbooks } from './modules/runbooks/index.ts';
import { passFailpoint } from './platform/failpoints.ts';

export interface Recovery {
  readonly isNeeded: boolean;
  /** The new epoch of the event log. Null: nothing was changed. */
  readonly epoch: number | null;
  /** What was changed, or without `--yes` what would be changed. */
  readonly changes: readonly string[];
  /** Repositories that cannot be recovered now. Everything else is recovered without them. */
  readonly left: Survey['left'];
}

interface OpenWork {
  readonly deployments: number;
  /** Builds of release candidates. */
  readonly builds: number;
  readonly runbooks: number;
}

/** What a recovery would do. */
export async function surveyRecovery(ports: Ports): Promise<Recovery> {
  const { survey, open, isNeeded } = await readSurvey(ports);
  const changes = isNeeded ? describeChanges(survey, open) : [];
  return { isNeeded, epoch: null, changes, left: survey.left };
}

export async function recoverInstallation(ports: Ports): Promise<Recovery> {
  const before = await readSurvey(ports);
  if (!before.isNeeded) return { isNeeded: false, epoch: null, changes: [], left: before.survey.left };
  const epoch = await beginRecovery(ports, before.survey);
  await passFailpoint('recovery:before_closing');
  // The queues resume afterwards, so that no deployment is closed that a landing started meanwhile.
  const open = {
    deployments: await closeOpenDeployments(ports),
    builds: await closeOpenBuilds(ports),
    runbooks: await stopOpenRunbooks(ports),
  };
  await passFailpoint('recovery:after_closing');
  const survey = await recoverRepositories(ports, epoch);
  return { isNeeded: true, epoch, changes: describeChanges(survey, open), left: survey.left };
}

interface Found {
  readonly survey: Survey;
  readonly open: OpenWork;
  readonly isNeeded: boolean;
}

// A deployment, build or runbook that the backup left open may have ended since the backup, even if nothing landed.
async function readSurvey(ports: Ports): Promise<Found> {
  const survey = await surveyInstallation(ports);
  const open = {
    deployments: await countOpenDeployments(ports),
    builds: await countOpenBuilds(ports),
    runbooks: await countOpenRunbooks(ports),
  };
  return { survey, open, isNeeded: survey.isNeeded || Object.values(open).some((number) => number > 0) };
}

function describeChanges(survey: Survey, open: OpenWork): string[] {
  return [...describeSurvey(survey), ...describeOpen(open)];
}

function describeSurvey({ repositories }: Survey): string[] {
  const lines = [
    'begin a new epoch: cursors into the event log given out before expire; ids go on past all that were used',
  ];
  for (const { repository, queues, strays } of repositories) {
    for (const { baseBranch, landings, pushed, liveBatches, impossible, isHalted } of queues) {
      const at = `${repository} ${baseBranch}:`;
      for (const { ref, commit, merges } of landings) {
        const merged =
          merges.length === 0 ? 'no pull request on record' : merges.map(({ number }) => `#${number}`).join(', ');
        lines.push(`${at} take over ${ref} at ${commit.commit}: ${merged}`);
      }
      for (const { number, commit } of pushed) lines.push(`${at} #${number} is merged, by a push, with ${commit}`);
      if (impossible.length > 0)
        lines.push(`${at} give up ${count(impossible.length, 'landing')} whose number was used by another batch`);
      if (liveBatches > 0)
        lines.push(
          `${at} start ${count(liveBatches, 'build')} again; a landing that had started is ended by the queue`,
        );
      if (isHalted || landings.length > 0) lines.push(`${at} read the tip again and resume`);
    }
    for (const { ref } of strays)
      lines.push(`${repository}: delete ${ref}, which no batch knows, and close its pull request`);
  }
  return lines;
}

function describeOpen({ deployments, builds, runbooks }: OpenWork): string[] {
  return [
    ...(deployments > 0
      ? [`set ${count(deployments, 'open deployment')} to unknown: report how they ended, or deploy again`]
      : []),
    ...(builds > 0
      ? [`end ${count(builds, 'open build')} of release candidates as failed: make other candidates`]
      : []),
    ...(runbooks > 0 ? [`stop ${count(runbooks, 'open runbook')}: look at the branches, then retry`] : []),
  ];
}

function count(n: number, what: string): string {
  return n === 1 ? `one ${what}` : `${n} ${what}s`;
}
