// The page of pull requests. It shows which pull requests are the viewer's, and which wait for a person.
import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useListPage } from '../app/entry-state.ts';
import { useCommands } from '../app/commands.ts';
import { problemReference } from '../app/errors.ts';
import { LiveSign } from '../app/connection.tsx';
import { Filter } from '../app/filter.tsx';
import { useShellAnswer } from '../app/use-shell.ts';
import { useSettled } from '../app/use-settled.ts';
import { useLiveQuery, type QueryAnswer } from '../app/use-live-query.ts';
import { MissingPart, NoRepository } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Empty, Failure, Pages, Pill, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, labelOf, shortenCommit, withoutDirections } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import { OpenButton } from './open-pull-request.tsx';
import {
  PullsDocument,
  PullRequestsChangedDocument,
  type PullRequestFilter,
  type PullsQuery,
} from '../generated/queue.ts';
import { toneOfStatus } from './inspector.tsx';
import { nameOf, toneOfActor } from './next-actor.ts';
import styles from './pulls.module.css';

const views = ['open', 'yours', 'stuck', 'merged', 'all'] as const;
type View = (typeof views)[number];

const labels = { open: 'Open', yours: 'Yours', stuck: 'Need a person', merged: 'Merged', all: 'All' } as const;

/** `author`: the name on the viewer's pull requests. */
function filterOf(view: View, author: string): PullRequestFilter {
  switch (view) {
    case 'open':
      return { statuses: ['OPEN', 'PENDING', 'BLOCKED', 'QUEUED', 'TAGGED'] };
    case 'yours':
      return { author };
    case 'stuck':
      return { statuses: ['PENDING', 'BLOCKED'] };
    case 'merged':
      return { statuses: ['MERGED'] };
    case 'all':
      return {};
    default:
      return view satisfies never;
  }
}

const moves = [
  ['j', 'Next row', 1],
  ['k', 'Previous row', -1],
  ['ArrowDown', 'Next row', 1],
  ['ArrowUp', 'Previous row', -1],
] as const;

type Pull = NonNullable<PullsQuery['repository']>['pullRequests']['nodes'][number];

export function PullsPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  const { show, text = '' } = useSearch({ strict: false });
  const shell = useShellAnswer();
  const author = shell.data?.viewer.author;
  const view = views.find((one) => one === show) ?? 'open';
  const sought = useSettled(text);
  const filtered = { ...filterOf(view, author ?? ''), ...(sought !== '' && { text: sought }) };
  const [after, setAfter] = useListPage('pulls');
  const isPaused = view === 'yours' && author === undefined;
  const pullsAnswer = usePulls({ variables: { owner, name, filter: filtered, after }, isPaused });
  const { data, partial } = pullsAnswer;
  const { problem, isWaiting, refresh } = isPaused ? shell : pullsAnswer;
  const filter = useRef<HTMLInputElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  useListCommands(filter, rows);
  const repository = data?.repository;
  const { nodes: pulls = [], pageInfo } = repository?.pullRequests ?? {};
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Pull requests">
        <LiveSign />
        <span className="grow" />
        {repository && <OpenButton queue={{ owner, name, branch: repository.defaultBranch }} repository={repository} />}
        <Filter input={filter} text={text} by="number, title, author or branch" />
      </Bar>
      {pageInfo && <Summary pulls={pulls} isPage={after !== null || pageInfo.hasNextPage} />}
      <ViewTabs owner={owner} name={name} text={text} />
      <div ref={rows} className={parts['scroll']} tabIndex={0}>
        {problem && (
          <Failure title="The pull requests could not be read." code={problemReference(problem)} retry={refresh}>
            {problem.sentence}
          </Failure>
        )}
        {partial && <MissingPart problem={partial} />}
        {isWaiting && <Waiting />}
        {data?.repository === null && partial === null && <NoRepository owner={owner} name={name} />}
        {pageInfo && pulls.length === 0 && <NoPulls isWhole={view === 'all' && text === ''} />}
        <ul className={styles['pulls']}>
          {pulls.map((pull) => (
            <PullItem key={pull.id} pull={pull} owner={owner} name={name} />
          ))}
        </ul>
        <div className={styles['pages']}>
          <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
        </div>
      </div>
    </>
  );
}

/** Says that a list is empty. `isWhole`: the list has all pull requests of the repository. */
function NoPulls({ isWhole }: { readonly isWhole: boolean }): ReactNode {
  return isWhole ? (
    <Empty title="There is no pull request yet.">Push a branch, and open its pull request.</Empty>
  ) : (
    <Empty title="No pull request matches.">
      Choose another list, or change the filter. If there is no pull request yet, push a branch, and open its pull
      request.
    </Empty>
  );
}

interface PullsVariables {
  readonly owner: string;
  readonly name: string;
  readonly filter: PullRequestFilter;
  readonly after: string | null;
}

interface PullsToRead {
  readonly variables: PullsVariables;
  readonly isPaused: boolean;
}

function usePulls({ variables, isPaused }: PullsToRead): QueryAnswer<PullsQuery> {
  const { owner, name } = variables;
  useEffect(() => {
    document.title = `Pull requests of ${owner}/${name} · Interlock`;
  }, [owner, name]);
  return useLiveQuery({
    document: PullsDocument,
    variables,
    isPaused,
    follows: {
      document: PullRequestsChangedDocument,
      variables: { owner, name },
      cursorOf: ({ pullRequestChanged }) => pullRequestChanged.cursor,
    },
    changesWithoutEvents: true,
  });
}

function useListCommands(filter: RefObject<HTMLInputElement | null>, rows: RefObject<HTMLDivElement | null>): void {
  /** Moves the focus to the link of the next row. `Enter` then opens the link. */
  const move = (by: number): void => {
    const links = [...(rows.current?.querySelectorAll<HTMLElement>('li a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  useCommands([
    { key: '/', label: 'Filter', group: 'View', run: () => filter.current?.focus() },
    ...moves.map(([key, label, by]) => ({ key, label, group: 'View' as const, run: () => move(by), isMove: true })),
  ]);
}

interface SummaryProps {
  readonly pulls: readonly Pull[];
  /** Whether the list has other pages. */
  readonly isPage: boolean;
}

function Summary({ pulls, isPage }: SummaryProps): ReactNode {
  const stuck = pulls.filter(({ explain, status }) => {
    const tone = toneOfActor(explain.who, status === 'BLOCKED');
    return tone === 'stop' || tone === 'person';
  });
  return (
    <Answer>
      {count(pulls.length, 'pull request')}
      {isPage && ' on this page'}.{' '}
      <em>
        {stuck.length === 0
          ? `${isPage ? 'None of them' : 'No pull request'} waits for a person.`
          : `${count(stuck.length, 'waits', 'wait')} for a person.`}
      </em>
    </Answer>
  );
}

interface ViewTabsProps {
  readonly owner: string;
  readonly name: string;
  readonly text: string;
}

function ViewTabs({ owner, name, text }: ViewTabsProps): ReactNode {
  return (
    <nav className={parts['tabs']} aria-label="Which pull requests">
      {views.map((one) => (
        <Link
          key={one}
          to="/$owner/$name/pulls"
          params={{ owner, name }}
          search={{ ...(one !== 'open' && { show: one }), ...(text !== '' && { text }) }}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {labels[one]}
        </Link>
      ))}
    </nav>
  );
}

function PullItem({
  pull,
  owner,
  name,
}: {
  readonly pull: Pull;
  readonly owner: string;
  readonly name: string;
}): ReactNode {
  const { number, title, author, status, explain, baseBranch, headBranch, mergedAt, createdAt, draft } = pull;
  return (
    <li>
      <span className={parts['num']}>#{number}</span>
      <div className="grow">
        <p className="cut">
          <Link to="/$owner/$name/pull/$number" params={{ owner, name, number: String(number) }}>
            <b>
              <Name isLine>{title}</Name>
            </b>
          </Link>
        </p>
        <p className="cut dim sm">
          {status === 'MERGED' && mergedAt ? <Landed pull={pull} at={mergedAt} /> : withoutDirections(explain.reason)}
        </p>
      </div>
      <span className="sm dim wide">{status === 'MERGED' ? '' : nameOf(explain.who, author)}</span>
      <span className={cx('mono xs faint wide cut', styles['branch'])}>
        <Name>{headBranch}</Name> → <Name>{baseBranch}</Name>
      </span>
      <span className={styles['when']}>
        <Pill tone={toneOfStatus(status)}>{draft ? 'draft' : labelOf(status)}</Pill>
        <span className="xs faint nowrap">
          <Ago at={mergedAt ?? createdAt} />
        </span>
      </span>
    </li>
  );
}

/** `It landed at 14:21 as 1ae332d6.` */
function Landed({ pull: { mergeCommit }, at }: { readonly pull: Pull; readonly at: string }): ReactNode {
  return (
    <>
      It landed at <At at={at} />
      {mergeCommit && (
        <>
          {' '}
          as <span className="mono">{shortenCommit(mergeCommit)}</span>
        </>
      )}
      .
    </>
  );
}
