// Shows which candidate runs in which environment, and the deployments of the candidates.
import { useState, type ReactNode } from 'react';
import { LiveLog } from '../app/live-log.tsx';
import { cx } from '../design/cx.ts';
import { Button, Empty, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At, Since } from '../design/time.tsx';
import { count, shortenCommit, labelOf } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import {
  BuildLogDocument,
  DeploymentLogDocument,
  EarlierBuildLogDocument,
  EarlierDeploymentLogDocument,
  type ReleasesQuery,
} from '../generated/releases.ts';
import styles from './releases.module.css';

export type Project = NonNullable<ReleasesQuery['releaseProject']>;
type Environment = Project['environments'][number];
type Candidate = Project['releaseCandidates']['nodes'][number];

/** The tier of an environment. Empty: the name of the environment is the tier. */
function tierOf({ name, tier }: Environment): readonly string[] {
  return labelOf(tier) === name.toLowerCase() ? [] : [labelOf(tier)];
}

/** Statuses of deployments that have not ended. */
export const activeStatuses = new Set(['PENDING', 'IN_PROGRESS', 'CANCELING']);
/** Statuses of deployments that have started and have not ended. */
const startedStatuses = new Set(['IN_PROGRESS', 'CANCELING']);

export function Board({ project }: { readonly project: Project }): ReactNode {
  const { environments, releaseCandidates } = project;
  if (releaseCandidates.nodes.length === 0)
    return (
      <Empty title="No candidate has been cut yet.">A candidate is a commit of the base branch with a version.</Empty>
    );
  return (
    <div className={styles['scroll']} tabIndex={0}>
      <table className={styles['board']}>
        <thead>
          <tr>
            <th scope="col" className="faint">
              Candidate
            </th>
            {environments.map((environment) => (
              <EnvironmentHead key={environment.id} environment={environment} />
            ))}
          </tr>
        </thead>
        <tbody>
          {releaseCandidates.nodes.map((candidate) => (
            <tr key={candidate.id}>
              <CandidateHead candidate={candidate} />
              {environments.map((environment) => (
                <td key={environment.id} className={environment.frozen ? styles['frozen'] : undefined}>
                  <Cell environment={environment} candidate={candidate} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EnvironmentHead({ environment }: { readonly environment: Environment }): ReactNode {
  return (
    <th scope="col" className={environment.frozen ? styles['frozen'] : undefined}>
      <b>{environment.name}</b> {environment.frozen && <Pill tone="blue">frozen</Pill>}
      <p className="xs faint">
        {environment.frozen
          ? environment.frozen.sentence
          : [...tierOf(environment), `by ${labelOf(environment.provider.kind)}`].join(', ')}
      </p>
    </th>
  );
}

function CandidateHead({ candidate }: { readonly candidate: Candidate }): ReactNode {
  return (
    <th scope="row">
      <b>{candidate.version}</b>
      <p className="xs faint">
        <span className="mono">{shortenCommit(candidate.commit)}</span>, <At at={candidate.createdAt} />
        {candidate.status !== 'READY' && `, ${labelOf(candidate.status)}`}
      </p>
    </th>
  );
}

function Cell({
  environment,
  candidate,
}: {
  readonly environment: Environment;
  readonly candidate: Candidate;
}): ReactNode {
  const ofCandidate = environment.deployments.nodes.filter((one) => one.releaseCandidateVersion === candidate.version);
  // A deployment that waits does not hide the deployment that is in progress.
  const latest = ofCandidate.find(({ status }) => startedStatuses.has(status)) ?? ofCandidate[0];
  if (latest && activeStatuses.has(latest.status))
    return (
      <div className={cx(styles['here'], styles['moving'])}>
        <b>{latest.kind === 'ROLLBACK' ? 'rolling back' : labelOf(latest.status)}</b>
        <span>
          by {latest.actor} {latest.deployStartAt && <Since at={latest.deployStartAt} />}
        </span>
      </div>
    );
  if (environment.running?.releaseCandidate.version === candidate.version)
    return (
      <div className={styles['here']}>
        <b>runs here</b>
        <span>
          since <At at={environment.running.since} />
        </span>
      </div>
    );
  if (!latest) return isUnknown(environment, candidate) ? <span className="sm faint">not read</span> : null;
  const isRed = latest.status === 'FAILURE' || latest.status === 'ERROR';
  return (
    <span className={cx('sm', isRed ? 'red' : 'faint')} title={latest.errorMessage ?? undefined}>
      {isRed ? 'failed' : latest.status === 'SUCCESS' ? 'ran' : labelOf(latest.status)}{' '}
      <At at={latest.deployEndAt ?? latest.createdAt} />
    </span>
  );
}

/** Whether an earlier deployment, which the page has not read, may have brought the candidate to the environment. */
function isUnknown({ deployments: { nodes, pageInfo } }: Environment, { createdAt }: Candidate): boolean {
  const oldest = nodes.at(-1);
  return pageInfo.hasNextPage && oldest !== undefined && Date.parse(createdAt) < Date.parse(oldest.createdAt);
}

const unreleasedShown = 3;

/** Shows the commits that landed and are in no candidate yet. */
export function Unreleased({ project: { unreleased, repository } }: { readonly project: Project }): ReactNode {
  if (!unreleased || unreleased.commitCount === 0) return null;
  const { pullRequests, commitCount, complete } = unreleased;
  const more = pullRequests.length - unreleasedShown;
  return (
    <p className={cx(styles['unreleased'], 'sm')}>
      <b>
        {complete ? count(commitCount, 'commit') : `More than ${count(commitCount, 'commit')}`} of{' '}
        {repository.defaultBranch} {commitCount === 1 ? 'is' : 'are'} in no candidate yet.
      </b>{' '}
      <span className="dim">
        {pullRequests.slice(0, unreleasedShown).map(({ id, number, title }, index) => (
          <span key={id}>
            {index > 0 && ', '}#{number} <Name>{title}</Name>
          </span>
        ))}
        {more > 0 && ` and ${more} more`}
      </span>
    </p>
  );
}

const good = new Set(['SUCCESS', 'READY']);
const bad = new Set(['FAILURE', 'ERROR', 'FAILED']);

/** A deployment, or the build of a candidate. Each has a log. */
type Run = Pick<Candidate, 'id' | 'createdAt' | 'actor' | 'errorMessage'> & {
  readonly status: string;
  /** The words before the version. `where` has the words after the version. */
  readonly what: string;
  readonly version: string;
  readonly where: string;
  /** Null: the build of the candidate. */
  readonly deployment: string | null;
};

function runsOf({ environments, releaseCandidates, build }: Project): readonly Run[] {
  const deployments = environments.flatMap(({ name, deployments: { nodes } }) =>
    nodes.map(
      (one): Run => ({
        ...one,
        what: one.kind === 'ROLLBACK' ? `Rollback of ${name} to` : 'Deployment of',
        where: one.kind === 'ROLLBACK' ? '' : ` to ${name}`,
        version: one.releaseCandidateVersion,
        deployment: one.id,
      }),
    ),
  );
  const isBuilt = (build?.kind ?? 'NONE') !== 'NONE';
  const builds = isBuilt
    ? releaseCandidates.nodes.map((one): Run => ({ ...one, what: 'Build of', where: '', deployment: null }))
    : [];
  return [...deployments, ...builds].toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}

/** Whether there are more deployments and builds than the newest `first`. */
export function hasMoreRuns(project: Project, first: number): boolean {
  return (
    runsOf(project).length > first || project.environments.some(({ deployments }) => deployments.pageInfo.hasNextPage)
  );
}

interface RecentProps {
  readonly project: Project;
  /** The number of deployments and builds that are shown. The page has read as many of each environment. */
  readonly first: number;
  /** The way to the others. */
  readonly children: ReactNode;
}

export function Recent({ project, first, children }: RecentProps): ReactNode {
  const [opened, setOpened] = useState<string | null>(null);
  const runs = runsOf(project).slice(0, first);
  if (runs.length === 0) return null;
  const shown = runs.find(({ id }) => id === opened);
  return (
    <section>
      <h3 className={parts['h']}>Deployments and builds</h3>
      <ul className={cx(parts['box'], parts['list'])}>
        {runs.map((one, at) => (
          <li key={one.id}>
            <span className={styles['status']}>
              <Pill tone={good.has(one.status) ? 'green' : bad.has(one.status) ? 'red' : 'blue'}>
                {labelOf(one.status)}
              </Pill>
            </span>
            <span className="grow">
              {one.what} <b className="nowrap">{one.version}</b>
              {one.where}
              {one.errorMessage && <span className="red sm"> {one.errorMessage}</span>}
            </span>
            <span className="sm dim wide">{one.actor}</span>
            <span className="sm faint nowrap">
              <Ago at={one.createdAt} />
            </span>
            <Button
              kind="quiet"
              about={`${at + 1}: ${one.what} ${one.version}${one.where}`}
              aria-expanded={one.id === opened}
              onClick={() => setOpened(one.id === opened ? null : one.id)}
            >
              Log
            </Button>
          </li>
        ))}
      </ul>
      {children}
      {shown && <RunLog key={shown.id} run={shown} project={project.name} />}
    </section>
  );
}

function RunLog({ run, project }: { readonly run: Run; readonly project: string }): ReactNode {
  const { version, status, what, where } = run;
  if (run.deployment === null)
    return (
      <LiveLog
        document={BuildLogDocument}
        variables={{ project, version }}
        pieceOf={({ buildLog }) => buildLog}
        pages={{ document: EarlierBuildLogDocument, pageOf: (data) => data.releaseProject?.releaseCandidate?.log }}
        heading={`Output of the build of ${version}`}
        label="Log of the build"
        progress={status}
        otherwise={<p className="sm dim">The build of {version} has written nothing to Interlock.</p>}
      />
    );
  return (
    <LiveLog
      document={DeploymentLogDocument}
      variables={{ deployment: run.deployment }}
      pieceOf={({ deploymentLog }) => deploymentLog}
      pages={{
        document: EarlierDeploymentLogDocument,
        pageOf: ({ node }) => (node?.__typename === 'Deployment' ? node.log : null),
      }}
      heading={`${what} ${version}${where}: what it wrote`}
      label="Log of the deployment"
      progress={status}
      otherwise={
        <p className="sm dim">
          {what} {version}
          {where} has written nothing to Interlock. A provider that deploys elsewhere keeps its log there.
        </p>
      }
    />
  );
}
