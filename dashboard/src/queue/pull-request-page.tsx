// The page of a pull request: why it is not merged, who acts next, what happened to it, and where it runs.
import { useEffect, useState, type ReactNode } from 'react';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { Command } from '../app/commands.ts';
import { problemReference } from '../app/errors.ts';
import { LiveSign } from '../app/connection.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { useShellAnswer } from '../app/use-shell.ts';
import { useNow } from '../design/clock.ts';
import { MissingPart } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Answer, Banner, Bar, Button, Earlier, Failure, Pill, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, personOf, shortenCommit, labelOf, numberOf, withoutDirections } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import { PullRequestChangedDocument, PullRequestPageDocument } from '../generated/queue.ts';
import {
  tabs,
  useLook,
  usePageCommands,
  usePullRequestActions,
  type Tab,
  type ViewProps,
} from './pull-request-commands.ts';
import { BotPage, NoPullRequest } from './bot-pull-request.tsx';
import { Builds, Checks, VerificationView } from './builds.tsx';
import { Conditions } from './conditions.tsx';
import { NextStep } from './next-step.tsx';
import { History } from './history.tsx';
import { toneOfStatus } from './inspector.tsx';
import { GradeSeal, grades } from './grade.tsx';
import { describeBuild } from './landed-build.ts';
import { ProofView } from './proof.tsx';
import type { PullRequest } from './pull-request.ts';
import { describeLanding, PullRequestHistory, momentsOf, Route } from './track.tsx';
import { describeNextActor, describeForecast } from './next-actor.ts';

const buildsShown = 20;

/** With one of these scopes, the viewer may read releases or runbooks. */
const readReleases: ReadonlySet<string> = new Set(['RELEASE_READ', 'RELEASE_WRITE', 'DEPLOY_WRITE']);
const readRunbooks: ReadonlySet<string> = new Set(['RUNBOOK_WRITE']);

export function PullRequestPage(): ReactNode {
  const { owner = '', name = '', number = '' } = useParams({ strict: false });
  if (numberOf(number) === null)
    return (
      <>
        <Bar title={`#${number}`} />
        <NoPullRequest {...{ owner, name, number }} />
      </>
    );
  return <NumberedPage {...{ owner, name, number }} />;
}

interface NumberedPageProps {
  readonly owner: string;
  readonly name: string;
  readonly number: string;
}

function NumberedPage({ owner, name, number }: NumberedPageProps): ReactNode {
  const { tab: requestedTab, at } = useSearch({ strict: false });
  const variables = { owner, name, number: Number(number) };
  const [builds, setBuilds] = useState(buildsShown);
  const shell = useShellAnswer();
  const scopes = shell.data?.viewer.scopes;
  const has = (one: ReadonlySet<string>): boolean => scopes === undefined || scopes.some((scope) => one.has(scope));
  const readable = { releases: has(readReleases), runbooks: has(readRunbooks) };
  const { data, problem, partial, isWaiting, refresh } = useLiveQuery({
    document: PullRequestPageDocument,
    variables: { ...variables, asOf: at ?? null, builds, ...readable },
    follows: {
      document: PullRequestChangedDocument,
      variables,
      cursorOf: ({ pullRequestChanged }) => pullRequestChanged.cursor,
    },
    changesWithoutEvents: at === undefined,
  });
  useEffect(() => {
    document.title = `#${number} of ${owner}/${name} · Interlock`;
  }, [owner, name, number]);
  const pull = data?.repository?.pullRequest;
  const failure = problem ?? (pull ? null : partial);
  // A viewer without a scope is refused the parts that need it, until the scopes are known. A viewer who may read no
  // repository is refused the scopes too.
  if (failure && (scopes !== undefined || shell.problem !== null))
    return (
      <Failure title={`#${number} could not be read.`} code={problemReference(failure)} retry={refresh}>
        {failure.sentence}
      </Failure>
    );
  if (isWaiting || !data)
    return (
      <>
        <Bar title={`#${number}`} />
        <Waiting />
      </>
    );
  if (!pull) return <BotPage owner={owner} name={name} number={Number(number)} />;
  const tab = tabs.find((one) => one === requestedTab) ?? 'explain';
  const queue = { owner, name, branch: pull.baseBranch };
  return (
    <>
      {partial && <MissingPart problem={partial} />}
      <PullRequestView {...{ pull, tab, queue, builds }} at={at ?? null} onShowBuilds={setBuilds} />
    </>
  );
}

interface PageProps extends ViewProps {
  /** The number of builds that the page reads. */
  readonly builds: number;
  readonly onShowBuilds: (builds: number) => void;
}

function PullRequestView(props: PageProps): ReactNode {
  const { pull, tab, at, queue, builds, onShowBuilds } = props;
  const actions = usePullRequestActions(props);
  const look = useLook();
  usePageCommands(props, actions);
  return (
    <>
      {at !== null && (
        <Banner
          tone="violet"
          action={
            <Button onClick={() => look(null)} shortcut="Esc">
              Back to now
            </Button>
          }
        >
          State at <At at={at} />. Nothing can be changed in the past.
        </Banner>
      )}
      <PullRequestBar pull={pull} queue={queue} actions={actions} />
      <Answer facts={<Facts pull={pull} />}>
        <Name>{pull.title}</Name> <em>#{pull.number}</em>
      </Answer>
      <Tabs pull={pull} queue={queue} at={at} />
      <div className={parts['two']}>
        <div tabIndex={0}>
          {tab === 'explain' && <Explained pull={pull} queue={queue} at={at} />}
          {tab === 'builds' && (
            <Builds pull={pull}>
              <Earlier first={builds} what="builds" hasMore={pull.batches.pageInfo.hasNextPage} onShow={onShowBuilds}>
                The API has the builds before these.
              </Earlier>
            </Builds>
          )}
          {tab === 'checks' && <Checks checks={pull.checks} />}
          {tab === 'preview' && <VerificationView pull={pull} />}
          {tab === 'history' && <History queue={queue} number={pull.number} />}
          {tab === 'proof' && <ProofView pull={pull} repository={queue} />}
        </div>
        <div tabIndex={0}>
          <h3 className={parts['h']}>What happened</h3>
          <PullRequestHistory pull={pull} />
          <Moments pull={pull} at={at} />
        </div>
      </div>
    </>
  );
}

type BarProps = Pick<ViewProps, 'pull' | 'queue'> & { readonly actions: readonly Command[] };

function PullRequestBar({ pull, queue: { owner, name }, actions }: BarProps): ReactNode {
  return (
    <Bar
      crumbs={
        <>
          <span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>
          <Link
            className={parts['crumb']}
            title={pull.baseBranch}
            to="/$owner/$name/queue/$"
            params={{ owner, name, _splat: pull.baseBranch }}
          >
            {pull.baseBranch} /
          </Link>
        </>
      }
      title={`#${pull.number}`}
    >
      <LiveSign />
      <span className="grow" />
      {actions
        .filter(({ key }) => key !== null)
        .map(({ key, label, run, disabled }) => (
          <Button
            key={label}
            shortcut={key?.toUpperCase()}
            onClick={run}
            disabled={disabled !== undefined}
            title={disabled}
            kind={key === 'q' ? 'go' : 'plain'}
          >
            {label.replace('…', '')}
          </Button>
        ))}
    </Bar>
  );
}

function Tabs({ pull, queue: { owner, name }, at }: Pick<ViewProps, 'pull' | 'queue' | 'at'>): ReactNode {
  const shownTabs: readonly (readonly [Tab, string])[] = [
    ['explain', 'Explain'],
    ['builds', `Builds ${pull.batches.nodes.length}${pull.batches.pageInfo.hasNextPage ? '+' : ''}`],
    ['checks', `Checks ${pull.checks.length}`],
    ...(pull.verification ? [['preview', 'Preview'] as const] : []),
    ...(pull.landedBatch ? [['proof', 'Proof'] as const] : []),
    ['history', 'History'],
  ];
  return (
    <nav className={parts['tabs']} aria-label="Parts of this pull request">
      {shownTabs.map(([one, label]) => (
        <Link
          key={one}
          to="/$owner/$name/pull/$number"
          params={{ owner, name, number: String(pull.number) }}
          search={{ ...(one !== 'explain' && { tab: one }), ...(at !== null && { at }) }}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** The instants at which the state of the pull request can be shown. */
function Moments({ pull, at }: Pick<ViewProps, 'pull' | 'at'>): ReactNode {
  const look = useLook();
  return (
    <>
      <h3 className={parts['h']}>State at</h3>
      <div className={parts['acts']}>
        {momentsOf(pull).map((moment) => (
          <Button key={moment} kind={moment === at ? 'go' : 'plain'} onClick={() => look(moment)}>
            <At at={moment} />
          </Button>
        ))}
        <Button kind={at === null ? 'go' : 'plain'} onClick={() => look(null)}>
          now
        </Button>
      </div>
    </>
  );
}

/** When and as which commit the pull request landed, or who wants to merge what. */
function Landing({ pull }: { readonly pull: PullRequest }): ReactNode {
  if (pull.status !== 'MERGED' || !pull.mergedAt)
    return (
      <span>
        <Name>{personOf(pull.author)}</Name> wants{' '}
        <span className="mono">
          <Name>{pull.headBranch}</Name>
        </span>{' '}
        into{' '}
        <span className="mono">
          <Name>{pull.baseBranch}</Name>
        </span>
      </span>
    );
  return (
    <span>
      landed <At at={pull.mergedAt} />
      {pull.mergeCommit && (
        <>
          {' '}
          as <span className="mono">{shortenCommit(pull.mergeCommit)}</span>
        </>
      )}
    </span>
  );
}

function Facts({ pull }: { readonly pull: PullRequest }): ReactNode {
  return (
    <>
      <Pill tone={toneOfStatus(pull.status)}>{pull.draft ? 'draft' : labelOf(pull.status)}</Pill>
      <Landing pull={pull} />
      <span>
        head <span className="mono">{shortenCommit(pull.headCommitSha)}</span>
      </span>
      {pull.queuedAt && pull.status !== 'MERGED' && (
        <span className="wide">
          queued <Ago at={pull.queuedAt} />
        </span>
      )}
      {pull.affectedTargets && (
        <span className="wide" title={pull.affectedTargets.names.join(', ')}>
          affects {count(pull.affectedTargets.count, 'target')}
        </span>
      )}
      {pull.landedBatch?.grade && <GradeSeal grade={pull.landedBatch.grade} />}
      {pull.runbook && (
        <span>
          made by runbook {pull.runbook.number}: <Name>{pull.runbook.title}</Name>
        </span>
      )}
    </>
  );
}

/** Says how a merged pull request landed: its build, its checks, its commit, and where its proof is. */
function Landed({ pull, queue: { owner, name } }: Pick<ViewProps, 'pull' | 'queue'>): ReactNode {
  const { landedBatch: landed } = pull;
  return (
    <span>
      {describeBuild(pull)} {landed?.grade && grades[landed.grade]}{' '}
      {landed?.commit && (
        <Link
          className="link"
          to="/$owner/$name/pull/$number"
          params={{ owner, name, number: String(pull.number) }}
          search={{ tab: 'proof' }}
        >
          See its proof
        </Link>
      )}
    </span>
  );
}

function Explained({ pull, queue, at }: Pick<ViewProps, 'pull' | 'queue' | 'at'>): ReactNode {
  const { explain } = pull;
  const now = useNow();
  const tone =
    pull.status === 'MERGED' || explain.kind === 'MERGED'
      ? 'green'
      : pull.status === 'BLOCKED'
        ? 'red'
        : explain.who === 'AUTHOR' || explain.who === 'REVIEWER'
          ? 'amber'
          : null;
  return (
    <>
      <div className={cx(parts['next'], tone !== null && parts[tone])}>
        <b className={parts['lead']}>
          {explain.kind === 'MERGED' ? describeLanding(pull, now) : withoutDirections(explain.reason)}
        </b>
        {explain.kind === 'MERGED' && <Landed pull={pull} queue={queue} />}
        {(explain.who || explain.eta) && (
          <span>
            {explain.who && <b>{describeNextActor(explain.who, pull.author)} </b>}
            {explain.eta && describeForecast(explain.eta, now)}
          </span>
        )}
        {pull.status === 'BLOCKED' && at === null && <NextStep pull={pull} queue={queue} />}
      </div>
      {explain.conditions.length > 0 && (
        <>
          <h3 className={parts['h']}>Conditions for merging, in order</h3>
          <Conditions conditions={explain.conditions} />
        </>
      )}
      <h3 className={parts['h']}>From the request to the environments</h3>
      <Route pull={pull} />
      {pull.body !== '' && (
        <>
          <h3 className={parts['h']}>
            What <Name>{personOf(pull.author)}</Name> wrote
          </h3>
          <p className="dim" dir="auto">
            {pull.body}
          </p>
        </>
      )}
    </>
  );
}
