// How far a runbook is, what it wrote, and what it cost.
import { useMemo, type ReactNode } from 'react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useClient } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { useCommands } from '../app/commands.ts';
import { Shown, useAnswer, useTitle } from '../app/page.tsx';
import { LiveSign } from '../app/shell.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Icon, type IconName } from '../design/icons.tsx';
import { Answer, Bar, Button, Empty, Pill, Terminal, type Tone } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At, Since } from '../design/time.tsx';
import { count, words } from '../design/words.ts';
import {
  CancelRunbookDocument,
  ContinueRunbookDocument,
  CreateRunbookDocument,
  RetryRunbookDocument,
  RunbookChangedDocument,
  RunbookPageDocument,
  RunbooksDocument,
  type RunbookPageQuery,
} from '../generated/runbooks.ts';
import styles from './runbooks.module.css';

type Runbook = NonNullable<RunbookPageQuery['runbook']>;

function toneOf(status: string): Tone {
  if (status === 'COMPLETED') return 'green';
  if (status === 'FAILED' || status === 'PARTIALLY_COMPLETED') return 'red';
  return status === 'NOT_STARTED' ? 'plain' : 'blue';
}

export function RunbooksPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Runbooks of ${owner}/${name}`);
  const client = useClient();
  const act = useAct();
  const navigate = useNavigate();
  const answer = useAnswer(RunbooksDocument, { owner, name });
  const ask = useMemo(
    (): Action => ({
      title: 'A new runbook',
      verb: 'Begin',
      harms: false,
      fields: [
        { name: 'title', label: 'Title', required: true },
        { name: 'prompt', label: 'What should be done', required: true, multiline: true },
      ],
      preview: null,
      run: async ({ title = '', prompt = '' }) => {
        const { createRunbook } = await answerOf(
          client.mutation(CreateRunbookDocument, { input: { repository: { owner, name }, title, prompt } }),
        );
        await navigate({ to: '/runbooks/$number', params: { number: String(createRunbook.runbook.number) } });
        return `Runbook ${createRunbook.runbook.number} begins.`;
      },
    }),
    [client, owner, name, navigate],
  );
  useCommands([{ key: 'n', label: 'Begin a runbook…', group: 'This page', run: () => act(ask) }]);
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Runbooks">
        <span className="grow" />
        <Button kind="go" shortcut="N" onClick={() => act(ask)}>
          New runbook
        </Button>
      </Bar>
      <Shown answer={answer} what="The runbooks">
        {({ repository }) => {
          const runbooks = repository?.runbooks.nodes ?? [];
          const running = runbooks.filter(({ status }) => toneOf(status) === 'blue').length;
          if (runbooks.length === 0)
            return (
              <Empty title="No runbook has been asked for yet.">
                A runbook turns a prompt into commits and pull requests, step by step.
              </Empty>
            );
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>
                {count(runbooks.length, 'runbook')}.{' '}
                <em>{running === 0 ? 'None is running.' : `${count(running, 'is', 'are')} running.`}</em>
              </Answer>
              <div className={parts['body']}>
                <ul className={cx(parts['box'], parts['list'])}>
                  {runbooks.map((runbook) => (
                    <li key={runbook.id}>
                      <span className={parts['num']}>{runbook.number}</span>
                      <Link to="/runbooks/$number" params={{ number: String(runbook.number) }} className="grow cut">
                        <b>{runbook.title}</b>
                      </Link>
                      <span className="sm dim wide">
                        {runbook.stepCounts.completed} of {count(runbook.stepCounts.total, 'step')}, by{' '}
                        {runbook.createdBy}
                      </span>
                      <span className="sm faint nowrap">
                        <Ago at={runbook.createdAt} />
                      </span>
                      <Pill tone={toneOf(runbook.status)}>{words(runbook.status)}</Pill>
                    </li>
                  ))}
                </ul>
              </div>
            </div>
          );
        }}
      </Shown>
    </>
  );
}

export function RunbookPage(): ReactNode {
  const number = Number(useParams({ strict: false }).number);
  useTitle(`Runbook ${number}`);
  const answer = useLiveQuery({
    document: RunbookPageDocument,
    variables: { number },
    follows: {
      document: RunbookChangedDocument,
      variables: { number },
      cursorOf: ({ runbookChanged }) => runbookChanged.cursor,
    },
  });
  return (
    <Shown answer={answer} what={`Runbook ${number}`}>
      {({ runbook }) =>
        runbook ? (
          <RunbookView runbook={runbook} />
        ) : (
          <>
            <Bar title={String(number)} />
            <Empty title={`There is no runbook ${number}.`} />
          </>
        )
      }
    </Shown>
  );
}

function useRunbookActions({
  number,
  status,
}: Runbook): readonly { readonly key: string; readonly label: string; readonly action: Action }[] {
  const client = useClient();
  return useMemo(() => {
    const followUp: Action = {
      title: `Follow up runbook ${number}`,
      verb: 'Follow up',
      harms: false,
      fields: [{ name: 'prompt', label: 'What should be done besides', required: true, multiline: true }],
      preview: null,
      run: async ({ prompt = '' }) => {
        await answerOf(client.mutation(ContinueRunbookDocument, { input: { number, prompt } }));
        return 'The follow-up is being planned.';
      },
    };
    const cancel: Action = {
      title: `Cancel runbook ${number}?`,
      verb: 'Cancel it',
      harms: true,
      preview: async () => {
        const { cancelRunbook } = await answerOf(
          client.mutation(CancelRunbookDocument, { input: { number, preview: true } }),
        );
        return {
          sentence: cancelRunbook.impact?.sentence ?? 'Nothing of it runs any more.',
          lines: (cancelRunbook.impact?.waiting ?? []).map((step) => `Step ${step} is not done.`),
        };
      },
      run: async () => {
        await answerOf(client.mutation(CancelRunbookDocument, { input: { number, preview: false } }));
        return `Runbook ${number} is being canceled.`;
      },
    };
    const retry: Action = {
      title: `Try what failed in runbook ${number} again?`,
      verb: 'Try again',
      harms: false,
      preview: null,
      run: async () => {
        await answerOf(client.mutation(RetryRunbookDocument, { input: { number } }));
        return 'What failed is tried again.';
      },
    };
    return [
      { key: 'u', label: 'Follow up', action: followUp },
      ...(status === 'IN_PROGRESS' || status === 'GENERATING_STEPS' || status === 'NOT_STARTED'
        ? [{ key: 'x', label: 'Cancel', action: cancel }]
        : []),
      ...(status === 'FAILED' || status === 'PARTIALLY_COMPLETED'
        ? [{ key: 'r', label: 'Try again', action: retry }]
        : []),
    ];
  }, [client, number, status]);
}

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

function RunbookView({ runbook }: { readonly runbook: Runbook }): ReactNode {
  const act = useAct();
  const actions = useRunbookActions(runbook);
  useCommands(
    actions.map(({ key, label, action }) => ({ key, label: `${label}…`, group: 'This page', run: () => act(action) })),
  );
  const { stepCounts, cost, repository } = runbook;
  const inLine = runbook.pullRequests.filter(
    ({ pullRequest }) => pullRequest?.status === 'QUEUED' || pullRequest?.status === 'TAGGED',
  ).length;
  const spent = cost.spentMicros / 1e6;
  const budget = cost.budgetMicros / 1e6;
  return (
    <>
      <Bar
        crumbs={
          <Link
            to="/$owner/$name/runbooks"
            params={{ owner: repository.owner, name: repository.name }}
            className={parts['crumb']}
          >
            Runbooks /
          </Link>
        }
        title={String(runbook.number)}
      >
        <LiveSign />
        <span className="grow" />
        {actions.map(({ key, label, action }) => (
          <Button
            key={key}
            shortcut={key.toUpperCase()}
            kind={key === 'u' ? 'go' : 'plain'}
            onClick={() => act(action)}
          >
            {label}
          </Button>
        ))}
      </Bar>
      <Answer
        facts={
          <>
            <Pill tone={toneOf(runbook.status)}>{words(runbook.status)}</Pill>
            <span>
              asked by <b>{runbook.createdBy}</b> <At at={runbook.createdAt} />
            </span>
            <span>
              {words(runbook.prMode)} into {runbook.targetBranch}
            </span>
            <span>
              <b>{dollars.format(spent)}</b> of {dollars.format(budget)}, {count(cost.turns, 'turn')}
            </span>
          </>
        }
      >
        {runbook.title}{' '}
        <em>
          {stepCounts.completed} of {count(stepCounts.total, 'step')} done
          {inLine > 0 && `, ${count(inLine, 'pull request')} in line`}.
        </em>
      </Answer>
      <div className={parts['two']}>
        <div tabIndex={0}>
          {runbook.problem && <div className={cx(parts['next'], parts['red'])}>{runbook.problem}</div>}
          <Steps runbook={runbook} />
          {runbook.log.nodes.length > 0 && (
            <>
              <h3 className={parts['h']}>What it said</h3>
              <Terminal label="Log of the runbook">{runbook.log.nodes.map(({ text }) => text).join('')}</Terminal>
            </>
          )}
        </div>
        <div tabIndex={0}>
          <h3 className={parts['h']}>Pull requests</h3>
          {runbook.pullRequests.length === 0 && <p className="dim sm">It has opened none yet.</p>}
          {runbook.pullRequests.length > 0 && (
            <ul className={cx(parts['box'], parts['list'])}>
              {runbook.pullRequests.map((one) => (
                <li key={one.number}>
                  <span className={parts['num']}>#{one.number}</span>
                  <Link
                    className="grow cut"
                    to="/$owner/$name/pull/$number"
                    params={{ owner: repository.owner, name: repository.name, number: String(one.number) }}
                  >
                    {one.pullRequest?.title}
                  </Link>
                  <Pill>{words(one.pullRequest?.status ?? one.state)}</Pill>
                </li>
              ))}
            </ul>
          )}
          <h3 className={parts['h']}>Prompts</h3>
          <ol className={parts['timeline']}>
            {runbook.prompts.toReversed().map((prompt) => (
              <li key={prompt.ordinal}>
                <At at={prompt.createdAt} />
                <i aria-hidden="true" />
                <span>
                  {prompt.text}
                  <small>{prompt.author}</small>
                </span>
              </li>
            ))}
          </ol>
          <h3 className={parts['h']}>Budget</h3>
          <progress
            className={styles['budget']}
            max={budget}
            value={spent}
            aria-label="Part of the budget that is spent"
          />
          <p className="sm dim">
            {dollars.format(spent)} of {dollars.format(budget)}; {cost.inputTokens.toLocaleString()} tokens in,{' '}
            {cost.outputTokens.toLocaleString()} out.
          </p>
        </div>
      </div>
    </>
  );
}

const icons: Readonly<Record<string, readonly [IconName, string]>> = {
  COMPLETED: ['check', 'green'],
  FAILED: ['cross', 'red'],
  IN_PROGRESS: ['running', 'blue'],
};

function Steps({ runbook }: { readonly runbook: Runbook }): ReactNode {
  if (runbook.steps.length === 0) return <Empty title="Its steps are being planned." />;
  return (
    <ul className={cx(parts['box'], styles['steps'])}>
      {runbook.steps.map((step) => (
        <li key={step.number}>
          <div className={cx(styles['step'], styles['parent'])}>
            <StatusIcon status={step.status} />
            <span className="mono faint">{step.number}</span>
            <span>{step.title}</span>
            <span className="xs faint">{words(step.status)}</span>
          </div>
          {step.leaves.map((leaf) => (
            <div key={leaf.number} className={styles['step']}>
              <StatusIcon status={leaf.status} />
              <span className="mono faint">{leaf.number}</span>
              <span>
                {leaf.title}
                {leaf.summary && <small>{leaf.summary}</small>}
                {leaf.error && <small className="red">{leaf.error}</small>}
                {leaf.attempts > 1 && <small>attempt {leaf.attempts}</small>}
              </span>
              <span className="xs faint nowrap">
                {leaf.startedAt && !leaf.endedAt ? <Since at={leaf.startedAt} /> : words(leaf.status)}
              </span>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function StatusIcon({ status }: { readonly status: string }): ReactNode {
  const [name, tone] = icons[status] ?? ['circle', 'faint'];
  return <Icon name={name} className={tone} />;
}
