// What runs where, since when, and what is held back.
import { useMemo, useState, type ReactNode } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { useClient } from 'urql';
import { useAct } from '../app/act.tsx';
import { useCommands } from '../app/commands.ts';
import { Shown, useAnswer, useTitle } from '../app/page.tsx';
import { LiveSign } from '../app/shell.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Empty, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At, Since } from '../design/time.tsx';
import { count, short, words } from '../design/words.ts';
import {
  DeploymentChangedDocument,
  ReleaseProjectsDocument,
  ReleasesDocument,
  type ReleasesQuery,
} from '../generated/releases.ts';
import { deployAction, freezeAction, liftAction, rollBackAction } from './actions.ts';
import styles from './releases.module.css';

type Project = NonNullable<ReleasesQuery['releaseProject']>;
type Environment = Project['environments'][number];
type Candidate = Project['releaseCandidates']['nodes'][number];

export function ReleaseProjectsPage(): ReactNode {
  useTitle('Releases');
  const answer = useAnswer(ReleaseProjectsDocument, {});
  return (
    <>
      <Bar title="Releases" />
      <Shown answer={answer} what="The release projects">
        {({ releaseProjects: { nodes } }) =>
          nodes.length === 0 ? (
            <Empty title="There is no release project yet.">
              Make one with the mutation <code>createReleaseProject</code>: it says from which repository candidates are
              cut, and the environments that they go to.
            </Empty>
          ) : (
            <>
              <Answer>{count(nodes.length, 'release project')}.</Answer>
              <div className={parts['body']}>
                <ul className={cx(parts['box'], parts['list'])}>
                  {nodes.map((project) => (
                    <li key={project.id}>
                      <Link to="/releases/$project" params={{ project: project.name }} className="grow">
                        <b>{project.name}</b>{' '}
                        <span className="faint">
                          {project.repository.owner}/{project.repository.name}
                        </span>
                      </Link>
                      <span className="sm dim">
                        {project.environments
                          .map(({ name, running }) => `${name}: ${running?.releaseCandidate.version ?? 'nothing'}`)
                          .join(', ')}
                      </span>
                    </li>
                  ))}
                </ul>
              </div>
            </>
          )
        }
      </Shown>
    </>
  );
}

export function ReleasesPage(): ReactNode {
  const { project = '' } = useParams({ strict: false });
  useTitle(`Releases of ${project}`);
  const answer = useLiveQuery({
    document: ReleasesDocument,
    variables: { project },
    follows: {
      document: DeploymentChangedDocument,
      variables: { project },
      cursorOf: ({ deploymentChanged }) => deploymentChanged.cursor,
    },
  });
  return (
    <Shown answer={answer} what={`The releases of ${project}`}>
      {({ releaseProject }) =>
        releaseProject ? (
          <ProjectView project={releaseProject} />
        ) : (
          <>
            <Bar title={project} />
            <Empty title={`There is no release project ${project}.`}>
              <Link to="/releases" className="blue">
                To all release projects
              </Link>
            </Empty>
          </>
        )
      }
    </Shown>
  );
}

const active = new Set(['PENDING', 'IN_PROGRESS', 'CANCELING']);

/** What the page answers: what the last environment runs, and what is on its way. */
function summarise({ environments }: Project): readonly [string, string] {
  const last = environments.at(-1);
  if (!last) return ['It has no environments yet.', ''];
  const lead = last.running
    ? `${last.name} runs ${last.running.releaseCandidate.version}.`
    : `Nothing runs in ${last.name} yet.`;
  const moving = environments.flatMap(({ name, deployments }) =>
    deployments.nodes
      .filter(({ status }) => active.has(status))
      .map(({ releaseCandidateVersion }) => `${releaseCandidateVersion} is on its way to ${name}`),
  );
  const frozen = environments.filter((one) => one.frozen).map(({ name }) => `${name} is frozen`);
  const rest = [...moving, ...frozen];
  return [lead, rest.length === 0 ? 'Nothing is on its way.' : `${rest.join(', ')}.`];
}

function ProjectView({ project }: { readonly project: Project }): ReactNode {
  const client = useClient();
  const act = useAct();
  const { environments } = project;
  const [chosen, setChosen] = useState<string | null>(null);
  const environment =
    environments.find(({ name }) => name === chosen) ??
    environments.findLast(({ rollback }) => rollback) ??
    environments.at(-1);
  const versions = project.releaseCandidates.nodes
    .filter(({ status }) => status === 'READY')
    .map(({ version }) => version);
  const name = environment?.name ?? '';
  const actions = useMemo(
    () => ({
      roll: rollBackAction(client, { project: project.name, environment: name }),
      deploy: deployAction(client, { project: project.name, environment: name, versions }),
      freeze: freezeAction(client, { project: project.name, environment: name }),
      lift: liftAction(client, { project: project.name, environment: name }),
    }),
    [client, project.name, name, versions.join()],
  );
  const isFrozen = environment?.frozen !== null && environment?.frozen !== undefined;
  const cannotRollBack = environment?.rollback ? undefined : `${name} has nothing to go back to`;
  useCommands([
    { key: 'd', label: `Deploy to ${name}…`, group: 'This page', run: () => act(actions.deploy) },
    {
      key: 'r',
      label: `Roll back ${name}…`,
      group: 'This page',
      run: () => act(actions.roll),
      tell: async () => (await actions.roll.preview?.({}))?.sentence ?? '',
      disabled: cannotRollBack,
    },
    {
      key: 'f',
      label: isFrozen ? `Lift the freeze of ${name}…` : `Freeze ${name}…`,
      group: 'This page',
      run: () => act(isFrozen ? actions.lift : actions.freeze),
    },
  ]);
  const [lead, rest] = summarise(project);
  return (
    <>
      <Bar
        crumbs={
          <Link to="/releases" className={parts['crumb']}>
            Releases /
          </Link>
        }
        title={project.name}
      >
        <LiveSign />
        <span className="grow" />
        <label className={cx(parts['check'], 'nowrap')}>
          <span className="faint wide">On</span>
          <select className={parts['select']} value={name} onChange={(event) => setChosen(event.currentTarget.value)}>
            {environments.map((one) => (
              <option key={one.id}>{one.name}</option>
            ))}
          </select>
        </label>
        <Button icon="freeze" shortcut="F" onClick={() => act(isFrozen ? actions.lift : actions.freeze)}>
          {isFrozen ? 'Lift freeze' : 'Freeze'}
        </Button>
        <Button
          shortcut="R"
          disabled={cannotRollBack !== undefined}
          title={cannotRollBack}
          onClick={() => act(actions.roll)}
        >
          Roll back
        </Button>
        <Button kind="go" shortcut="D" onClick={() => act(actions.deploy)}>
          Deploy
        </Button>
      </Bar>
      <div className={parts['scroll']} tabIndex={0}>
        <Answer>
          {lead} <em>{rest}</em>
        </Answer>
        <Board project={project} />
        <div className={parts['body']}>
          <Recent environments={environments} />
        </div>
      </div>
    </>
  );
}

function Board({ project }: { readonly project: Project }): ReactNode {
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
              <th scope="col" key={environment.id} className={environment.frozen ? styles['frozen'] : undefined}>
                <b>{environment.name}</b> {environment.frozen && <Pill tone="blue">frozen</Pill>}
                <p className="xs faint">
                  {environment.frozen
                    ? environment.frozen.sentence
                    : `${words(environment.tier)}, by ${words(environment.provider.kind)}`}
                </p>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {releaseCandidates.nodes.map((candidate) => (
            <tr key={candidate.id}>
              <th scope="row">
                <b>{candidate.version}</b>
                <p className="xs faint">
                  <span className="mono">{short(candidate.commit)}</span>, <At at={candidate.createdAt} />
                  {candidate.status !== 'READY' && `, ${words(candidate.status)}`}
                </p>
              </th>
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

function Cell({
  environment,
  candidate,
}: {
  readonly environment: Environment;
  readonly candidate: Candidate;
}): ReactNode {
  const latest = environment.deployments.nodes.find((one) => one.releaseCandidateVersion === candidate.version);
  if (latest && active.has(latest.status))
    return (
      <div className={cx(styles['here'], styles['moving'])}>
        <b>{latest.kind === 'ROLLBACK' ? 'rolling back' : words(latest.status)}</b>
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
  if (!latest) return null;
  const isRed = latest.status === 'FAILURE' || latest.status === 'ERROR';
  return (
    <span className={cx('sm', isRed ? 'red' : 'faint')} title={latest.errorMessage ?? undefined}>
      {isRed ? 'failed' : latest.status === 'SUCCESS' ? 'ran' : words(latest.status)}{' '}
      <At at={latest.deployEndAt ?? latest.createdAt} />
    </span>
  );
}

function Recent({ environments }: { readonly environments: readonly Environment[] }): ReactNode {
  const all = environments
    .flatMap(({ name, deployments }) => deployments.nodes.map((deployment) => ({ ...deployment, environment: name })))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .slice(0, 12);
  if (all.length === 0) return null;
  return (
    <section>
      <h3 className={parts['h']}>Deployments</h3>
      <ul className={cx(parts['box'], parts['list'])}>
        {all.map((one) => (
          <li key={one.id}>
            <Pill
              tone={
                one.status === 'SUCCESS' ? 'green' : one.status === 'FAILURE' || one.status === 'ERROR' ? 'red' : 'blue'
              }
            >
              {words(one.status)}
            </Pill>
            <span className="grow">
              {one.kind === 'ROLLBACK' ? 'Rollback of ' : ''}
              {one.environment} to <b>{one.releaseCandidateVersion}</b>
              {one.errorMessage && <span className="red sm"> {one.errorMessage}</span>}
            </span>
            <span className="sm dim wide">{one.actor}</span>
            <span className="sm faint nowrap">
              <Ago at={one.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
