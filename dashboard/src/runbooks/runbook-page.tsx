// The page of a runbook: its steps, its log, its pull requests, and its cost.
import { useMemo, type ReactNode } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { useClient } from 'urql';
import { useAct, type Action } from '../app/act.tsx';
import { useCommands, type Command } from '../app/commands.ts';
import { temporalCommand } from '../app/installation.tsx';
import { LiveLog } from '../app/live-log.tsx';
import { AnswerView, useTitle } from '../app/page.tsx';
import { refusalOf } from '../app/permitted.ts';
import { LiveSign } from '../app/connection.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Icon, type IconName } from '../design/icons.tsx';
import { Answer, Bar, Button, Empty, Pill, WithCode } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At, describeDuration, Since } from '../design/time.tsx';
import { count, labelOf, numberOf } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import {
  RunbookChangedDocument,
  EarlierRunbookLogDocument,
  RunbookLogDocument,
  RunbookPageDocument,
  type RunbookPageQuery,
} from '../generated/runbooks.ts';
import { cancelAction, followUpAction, microsInDollar, retryAction } from './actions.ts';
import { toneOf } from './runbooks-page.tsx';
import styles from './runbooks.module.css';

type Runbook = NonNullable<RunbookPageQuery['runbook']>;

export function RunbookPage(): ReactNode {
  const { number: named = '' } = useParams({ strict: false });
  const number = numberOf(named);
  return number === null ? <NoRunbook number={named} /> : <NumberedPage number={number} />;
}

function NoRunbook({ number }: { readonly number: string }): ReactNode {
  return (
    <>
      <Bar title={number} />
      <Empty title={`There is no runbook ${number}.`} />
    </>
  );
}

function NumberedPage({ number }: { readonly number: number }): ReactNode {
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
    <AnswerView answer={answer} what={`Runbook ${number}`}>
      {({ runbook }) => (runbook ? <RunbookView runbook={runbook} /> : <NoRunbook number={String(number)} />)}
    </AnswerView>
  );
}

/** Whether the runbook has not ended. */
function isWorking({ status }: Pick<Runbook, 'status'>): boolean {
  return status !== 'COMPLETED' && status !== 'FAILED';
}

/** A value that changes whenever a prompt is added or a step changes. */
function progressOf({ status, prompts, steps }: Runbook): string {
  const leaves = steps.flatMap((step) => step.leaves.map((leaf) => `${leaf.status} ${leaf.attempts}`));
  return [status, prompts.length, ...leaves].join();
}

interface RunbookAction {
  readonly key: string;
  readonly label: string;
  readonly action: Action;
}

function useRunbookActions({ number, status, cost }: Runbook): readonly RunbookAction[] {
  const client = useClient();
  const isSpent = cost.spentMicros >= cost.budgetMicros;
  return useMemo(
    () => [
      { key: 'u', label: 'Follow up', action: followUpAction(client, number) },
      ...(isWorking({ status }) ? [{ key: 'x', label: 'Cancel', action: cancelAction(client, number) }] : []),
      ...(status === 'FAILED' ? [{ key: 'r', label: 'Try again', action: retryAction(client, number, isSpent) }] : []),
    ],
    [client, number, status, isSpent],
  );
}

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

function dollarsOf(micros: number): string {
  return dollars.format(micros / microsInDollar);
}

function RunbookView({ runbook }: { readonly runbook: Runbook }): ReactNode {
  const act = useAct();
  const actions = useRunbookActions(runbook);
  // A viewer who may not begin a runbook may not change a runbook either.
  const refusal = refusalOf(runbook.repository.viewerCan, 'START_RUNBOOK');
  useCommands([
    ...actions.map(
      ({ key, label, action }): Command => ({
        key,
        label: `${label}…`,
        group: 'This page',
        run: () => act(action),
        disabled: refusal,
      }),
    ),
    temporalCommand('the runbook', runbook.temporalUrl),
  ]);
  return (
    <>
      <RunbookBar runbook={runbook} actions={actions} refusal={refusal} />
      <RunbookAnswer runbook={runbook} />
      <div className={parts['two']}>
        <div tabIndex={0}>
          <RunbookProblem runbook={runbook} />
          <Steps runbook={runbook} />
          <LiveLog
            key={runbook.number}
            document={RunbookLogDocument}
            variables={{ number: runbook.number }}
            pieceOf={({ runbookLog }) => runbookLog}
            pages={{ document: EarlierRunbookLogDocument, pageOf: (data) => data.runbook?.log }}
            heading="Output of the agent"
            label="Log of the runbook"
            progress={progressOf(runbook)}
          />
        </div>
        <div tabIndex={0}>
          <PullRequests runbook={runbook} />
          <Prompts prompts={runbook.prompts} />
          <Budget cost={runbook.cost} />
        </div>
      </div>
    </>
  );
}

interface RunbookProps {
  readonly runbook: Runbook;
}

interface RunbookBarProps extends RunbookProps {
  readonly actions: readonly RunbookAction[];
  /** Why the viewer may not use the actions. Undefined: the viewer may. */
  readonly refusal: string | undefined;
}

function RunbookBar({ runbook, actions, refusal }: RunbookBarProps): ReactNode {
  const act = useAct();
  const { repository } = runbook;
  return (
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
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => act(action)}
        >
          {label}
        </Button>
      ))}
    </Bar>
  );
}

function RunbookAnswer({ runbook }: RunbookProps): ReactNode {
  const { stepCounts, cost } = runbook;
  const inLine = runbook.pullRequests.filter(
    ({ pullRequest }) => pullRequest?.status === 'QUEUED' || pullRequest?.status === 'TAGGED',
  ).length;
  return (
    <Answer
      facts={
        <>
          <Pill tone={toneOf(runbook.status)}>{labelOf(runbook.status)}</Pill>
          <span>
            asked by{' '}
            <b>
              <Name>{runbook.createdBy}</Name>
            </b>{' '}
            <At at={runbook.createdAt} />
          </span>
          <span>
            {modes[runbook.prMode]} into {runbook.targetBranch}
          </span>
          <span>
            <b>{dollarsOf(cost.spentMicros)}</b> of {dollarsOf(cost.budgetMicros)}, {count(cost.turns, 'turn')}
          </span>
        </>
      }
    >
      <Name>{runbook.title}</Name>:{' '}
      <em>
        {stepCounts.completed} of {count(stepCounts.total, 'step')} done
        {inLine > 0 && `, ${count(inLine, 'pull request')} in line`}.
      </em>
    </Answer>
  );
}

function RunbookProblem({ runbook: { problem, nextTryAt } }: RunbookProps): ReactNode {
  if (!problem) return null;
  return (
    <div className={cx(parts['next'], parts['red'])}>
      <span>{problem}</span>
      {nextTryAt && (
        <span className="dim">
          It is tried again at <At at={nextTryAt} />.
        </span>
      )}
    </div>
  );
}

function PullRequests({ runbook: { pullRequests, repository } }: RunbookProps): ReactNode {
  return (
    <>
      <h3 className={parts['h']}>Pull requests</h3>
      {pullRequests.length === 0 && <p className="dim sm">The runbook has not opened a pull request yet.</p>}
      {pullRequests.length > 0 && (
        <ul className={cx(parts['box'], parts['list'])}>
          {pullRequests.map((one) => (
            <li key={one.number}>
              <span className={parts['num']}>#{one.number}</span>
              <Link
                className="grow cut"
                to="/$owner/$name/pull/$number"
                params={{ owner: repository.owner, name: repository.name, number: String(one.number) }}
              >
                <Name isLine>{one.pullRequest?.title}</Name>
              </Link>
              <Pill tone={one.pullRequest?.status === 'MERGED' ? 'green' : 'plain'}>
                {labelOf(one.pullRequest?.status ?? one.state)}
              </Pill>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Prompts({ prompts }: Pick<Runbook, 'prompts'>): ReactNode {
  return (
    <>
      <h3 className={parts['h']}>Prompts</h3>
      <ol className={parts['timeline']}>
        {prompts.toReversed().map((prompt) => (
          <li key={prompt.ordinal}>
            <At at={prompt.createdAt} />
            <i aria-hidden="true" />
            <span>
              <span className={cx('mono xs', styles['prompt'])} dir="auto">
                {prompt.text}
              </span>
              <small>{prompt.author}</small>
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Budget({ cost }: Pick<Runbook, 'cost'>): ReactNode {
  return (
    <>
      <h3 className={parts['h']}>Budget</h3>
      <progress
        className={styles['budget']}
        max={cost.budgetMicros / microsInDollar}
        value={cost.spentMicros / microsInDollar}
        aria-label="Part of the budget that is spent"
      />
      <p className="sm dim">
        {dollarsOf(cost.spentMicros)} of {dollarsOf(cost.budgetMicros)}; {cost.inputTokens.toLocaleString()} tokens in,{' '}
        {cost.outputTokens.toLocaleString()} out.
      </p>
    </>
  );
}

const modes = {
  MANUAL: 'pull requests on request',
  SINGLE_PR: 'one pull request',
  STACKED_PR: 'stacked pull requests',
} as const satisfies Record<Runbook['prMode'], string>;

const icons: Readonly<Record<string, readonly [IconName, string]>> = {
  COMPLETED: ['check', 'green'],
  FAILED: ['cross', 'red'],
  IN_PROGRESS: ['running', 'blue'],
};

function Steps({ runbook }: { readonly runbook: Runbook }): ReactNode {
  if (runbook.steps.length === 0) return <Empty title="The steps of the runbook are being planned." />;
  return (
    <ul className={cx(parts['box'], styles['steps'])}>
      {runbook.steps.map((step) => (
        <li key={step.number}>
          <div className={cx(styles['step'], styles['parent'])}>
            <StatusIcon status={step.status} />
            <span className="mono faint">{step.number}</span>
            <span>
              <Name>{step.title}</Name>
            </span>
            <span className="xs faint">{labelOf(step.status)}</span>
          </div>
          {step.leaves.map((leaf) => (
            <div key={leaf.number} className={styles['step']}>
              <StatusIcon status={leaf.status} />
              <span className="mono faint">{leaf.number}</span>
              <span>
                <Name>{leaf.title}</Name>
                {leaf.summary && (
                  <small>
                    <WithCode text={leaf.summary} />
                  </small>
                )}
                {leaf.error && <small className="red">{leaf.error}</small>}
                {leaf.attempts > 1 && <small>attempt {leaf.attempts}</small>}
              </span>
              <span className="xs faint nowrap">
                {leaf.startedAt && !leaf.endedAt ? <Since at={leaf.startedAt} /> : labelOf(leaf.status)}
                {leaf.startedAt && leaf.endedAt && ` in ${describeDuration(durationOf(leaf.startedAt, leaf.endedAt))}`}
              </span>
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

function durationOf(startedAt: string, endedAt: string): number {
  return Date.parse(endedAt) - Date.parse(startedAt);
}

function StatusIcon({ status }: { readonly status: string }): ReactNode {
  const [name, tone] = icons[status] ?? ['circle', 'faint'];
  return <Icon name={name} className={tone} />;
}
