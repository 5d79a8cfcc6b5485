// The page of releases: which candidate runs in which environment and since when, and which environments are frozen.
import { useMemo, useState, type ReactNode } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { useClient } from 'urql';
import { useListPage } from '../app/entry-state.ts';
import { useAct, type Action } from '../app/act.tsx';
import { copyCommitCommand, useCommands } from '../app/commands.ts';
import { useCopy } from '../app/copy.tsx';
import { temporalCommand } from '../app/installation.tsx';
import { AnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { refusalOf } from '../app/permitted.ts';
import { LiveSign } from '../app/connection.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Earlier, Empty, Pages } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { count } from '../design/labels.ts';
import {
  ReleaseProjectChangedDocument,
  ReleaseProjectsDocument,
  ReleasesDocument,
  type ReleaseProjectsQuery,
} from '../generated/releases.ts';
import { cutAction, deployAction, freezeAction, liftAction, rollBackAction } from './actions.ts';
import { activeStatuses, Board, hasMoreRuns, Recent, Unreleased, type Project } from './releases-board.tsx';

export function ReleaseProjectsPage(): ReactNode {
  useTitle('Releases');
  const [after, setAfter] = useListPage('projects');
  const answer = useAnswer(ReleaseProjectsDocument, { after });
  return (
    <>
      <Bar title="Releases" />
      <AnswerView answer={answer} what="The release projects">
        {({ releaseProjects: { nodes, pageInfo } }) =>
          nodes.length === 0 && after === null ? (
            <Empty title="There is no release project yet.">
              Make one with the mutation <code>createReleaseProject</code>: it says from which repository candidates are
              cut, and the environments that they go to.
            </Empty>
          ) : (
            <>
              <Answer>
                {count(nodes.length, 'release project')}
                {after !== null || pageInfo.hasNextPage ? ' on this page' : ''}.
              </Answer>
              <div className={parts['body']}>
                <ul className={cx(parts['box'], parts['list'])}>
                  {nodes.map((project) => (
                    <ProjectItem key={project.id} project={project} />
                  ))}
                </ul>
                <Pages after={after} pageInfo={pageInfo} onPage={setAfter} first="First" next="Next" />
              </div>
            </>
          )
        }
      </AnswerView>
    </>
  );
}

type ListedProject = ReleaseProjectsQuery['releaseProjects']['nodes'][number];

function ProjectItem({ project }: { readonly project: ListedProject }): ReactNode {
  return (
    <li>
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
  );
}

const firstShown = 12;

export function ReleasesPage(): ReactNode {
  const { project = '' } = useParams({ strict: false });
  useTitle(`Releases of ${project}`);
  const [first, setFirst] = useState(firstShown);
  const answer = useLiveQuery({
    document: ReleasesDocument,
    variables: { project, first, deployments: first },
    follows: {
      document: ReleaseProjectChangedDocument,
      variables: { project },
      cursorOf: ({ releaseProjectChanged }) => releaseProjectChanged.cursor,
    },
  });
  return (
    <AnswerView answer={answer} what={`The releases of ${project}`}>
      {({ releaseProject }) =>
        releaseProject ? (
          <ProjectView project={releaseProject} refresh={answer.refresh} first={first} onShow={setFirst} />
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
    </AnswerView>
  );
}

/** Makes the headline of the page: which candidate the last environment runs, and which deployments are under way. */
function summarise({ environments }: Project): readonly [ReactNode, string] {
  const last = environments.at(-1);
  if (!last) return ['The project has no environments yet.', ''];
  const lead = last.running ? (
    <>
      {last.name} runs <span className="nowrap">{last.running.releaseCandidate.version}.</span>
    </>
  ) : (
    `Nothing runs in ${last.name} yet.`
  );
  const moving = environments.flatMap(({ name, deployments }) =>
    deployments.nodes
      .filter(({ status }) => activeStatuses.has(status))
      .map(({ releaseCandidateVersion }) => `${releaseCandidateVersion} is on its way to ${name}`),
  );
  const frozen = environments.filter((one) => one.frozen).map(({ name }) => `${name} is frozen`);
  const rest = [...moving, ...frozen];
  return [lead, rest.length === 0 ? 'Nothing is on its way.' : `${rest.join(', ')}.`];
}

interface ProjectViewProps {
  readonly project: Project;
  readonly refresh: () => void;
  /** The number of candidates that are shown, and of deployments and builds. */
  readonly first: number;
  readonly onShow: (first: number) => void;
}

type Environment = Project['environments'][number];

/** What the viewer can do on the page: the action, and why the viewer may not run it. */
interface ProjectAction {
  readonly action: Action;
  readonly refusal: string | undefined;
}

interface ProjectActions {
  readonly deploy: ProjectAction;
  readonly rollBack: ProjectAction;
  /** Freezes the environment, or lifts its freeze. */
  readonly freeze: ProjectAction;
  readonly cut: ProjectAction;
}

function useProjectActions(
  { project, refresh }: Pick<ProjectViewProps, 'project' | 'refresh'>,
  environment: Environment | undefined,
): ProjectActions {
  const client = useClient();
  const { nodes: candidates, pageInfo } = project.releaseCandidates;
  const versions = candidates.filter(({ status }) => status === 'READY').map(({ version }) => version);
  const isCut = pageInfo.hasNextPage;
  const name = environment?.name ?? '';
  const isBuilt = (project.build?.kind ?? 'NONE') !== 'NONE';
  const newest = candidates[0]?.version ?? null;
  const actions = useMemo(
    () => ({
      roll: rollBackAction(client, { project: project.name, environment: name }),
      deploy: deployAction(client, { project: project.name, environment: name, versions, isCut }),
      freeze: freezeAction(client, { project: project.name, environment: name }),
      lift: liftAction(client, { project: project.name, environment: name }),
      cut: cutAction(client, { project: project.name, repository: project.repository, newest, isBuilt, refresh }),
    }),
    [client, project.name, project.repository, name, versions.join(), isCut, newest, isBuilt, refresh],
  );
  const permissions = environment?.viewerCan ?? [];
  // The same permission is needed to cut a candidate, besides the scope release:write.
  const cannotFreeze = refusalOf(permissions, 'FREEZE');
  const cannotRollBack =
    refusalOf(permissions, 'ROLL_BACK') ??
    (environment?.rollback ? undefined : `${name} has no earlier deployment to roll back to.`);
  return {
    deploy: { action: actions.deploy, refusal: refusalOf(permissions, 'DEPLOY') },
    rollBack: { action: actions.roll, refusal: cannotRollBack },
    freeze: { action: isFrozen(environment) ? actions.lift : actions.freeze, refusal: cannotFreeze },
    cut: { action: actions.cut, refusal: cannotFreeze },
  };
}

function isFrozen(environment: Environment | undefined): boolean {
  return environment?.frozen !== null && environment?.frozen !== undefined;
}

function useProjectCommands(
  { deploy, rollBack, freeze, cut }: ProjectActions,
  environment: Environment | undefined,
): void {
  const act = useAct();
  const copy = useCopy();
  const name = environment?.name ?? '';
  useCommands([
    {
      key: 'd',
      label: `Deploy to ${name}…`,
      group: 'This page',
      run: () => act(deploy.action),
      disabled: deploy.refusal,
    },
    {
      key: 'r',
      label: `Roll back ${name}…`,
      group: 'This page',
      run: () => act(rollBack.action),
      preview: async () => (await rollBack.action.preview?.({}))?.sentence ?? '',
      disabled: rollBack.refusal,
    },
    {
      key: 'f',
      label: isFrozen(environment) ? `Lift the freeze of ${name}…` : `Freeze ${name}…`,
      group: 'This page',
      run: () => act(freeze.action),
      disabled: freeze.refusal,
    },
    { key: 'n', label: 'Cut a candidate…', group: 'This page', run: () => act(cut.action), disabled: cut.refusal },
    copyCommitCommand(environment?.running?.releaseCandidate.commit, copy),
    temporalCommand(`the newest deployment to ${name}`, environment?.deployments.nodes[0]?.temporalUrl),
  ]);
}

function ProjectView({ project, refresh, first, onShow }: ProjectViewProps): ReactNode {
  const { environments } = project;
  const [chosen, setChosen] = useState<string | null>(null);
  // The last environment in which a candidate runs. It stays the same during a rollback.
  const environment =
    environments.find(({ name }) => name === chosen) ??
    environments.findLast(({ running }) => running) ??
    environments.at(-1);
  const actions = useProjectActions({ project, refresh }, environment);
  useProjectCommands(actions, environment);
  const [lead, rest] = summarise(project);
  return (
    <>
      <ProjectBar project={project} environment={environment} actions={actions} onChoose={setChosen} />
      <div className={parts['scroll']} tabIndex={0}>
        <Answer>
          {lead} <em>{rest}</em>
        </Answer>
        <Unreleased project={project} />
        <Board project={project} />
        <div className={parts['body']}>
          <Earlier
            first={first}
            what="candidates"
            hasMore={project.releaseCandidates.pageInfo.hasNextPage}
            onShow={onShow}
          >
            The candidates before these are in the <ActivityLink />.
          </Earlier>
          <Recent project={project} first={first}>
            <Earlier first={first} what="deployments and builds" hasMore={hasMoreRuns(project, first)} onShow={onShow}>
              The deployments and builds before these are in the <ActivityLink />.
            </Earlier>
          </Recent>
        </div>
      </div>
    </>
  );
}

function ActivityLink(): ReactNode {
  return (
    <Link to="/activity" search={{ show: 'people' }} className="blue">
      activity
    </Link>
  );
}

interface ProjectBarProps {
  readonly project: Project;
  readonly environment: Environment | undefined;
  readonly actions: ProjectActions;
  readonly onChoose: (environment: string) => void;
}

function ProjectBar({ project, environment, actions, onChoose }: ProjectBarProps): ReactNode {
  const act = useAct();
  const { deploy, rollBack, freeze, cut } = actions;
  const run = ({ action, refusal }: ProjectAction) => ({
    disabled: refusal !== undefined,
    title: refusal,
    onClick: () => act(action),
  });
  return (
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
      <Button wide shortcut="N" {...run(cut)}>
        Cut a candidate
      </Button>
      <label className={cx(parts['check'], 'nowrap')}>
        <span className="faint wide">On</span>
        <select
          className={parts['select']}
          aria-label="Environment"
          value={environment?.name ?? ''}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {project.environments.map((one) => (
            <option key={one.id}>{one.name}</option>
          ))}
        </select>
      </label>
      <Button icon="freeze" shortcut="F" {...run(freeze)}>
        {isFrozen(environment) ? 'Lift freeze' : 'Freeze'}
      </Button>
      <Button shortcut="R" {...run(rollBack)}>
        Roll back
      </Button>
      <Button kind="go" shortcut="D" {...run(deploy)}>
        Deploy
      </Button>
    </Bar>
  );
}
