// The page at the address of a bot pull request. It shows for which build and which pull requests CI runs there.
import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { AnswerView, useAnswer } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Empty, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago } from '../design/time.tsx';
import { shortenCommit, labelOf } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import { BotPullRequestDocument, type BotPullRequestQuery } from '../generated/queue.ts';

interface BotPageProps {
  readonly owner: string;
  readonly name: string;
  readonly number: number;
}

type Bot = NonNullable<NonNullable<BotPullRequestQuery['repository']>['botPullRequest']>;

/** The page of a number that no pull request of a person has. The number may be that of a bot pull request. */
export function BotPage({ owner, name, number }: BotPageProps): ReactNode {
  const answer = useAnswer(BotPullRequestDocument, { owner, name, number });
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title={`#${number}`} />
      <AnswerView answer={answer} what={`#${number}`}>
        {({ repository }) =>
          repository?.botPullRequest ? (
            <BotView bot={repository.botPullRequest} owner={owner} name={name} />
          ) : (
            <NoPullRequest owner={owner} name={name} number={String(number)} />
          )
        }
      </AnswerView>
    </>
  );
}

interface NoPullRequestProps extends Omit<BotPageProps, 'number'> {
  /** The number in the address, which may be any text. */
  readonly number: string;
}

export function NoPullRequest({ owner, name, number }: NoPullRequestProps): ReactNode {
  return (
    <Empty title={`There is no pull request #${number} in ${owner}/${name}.`}>
      <Link to="/$owner/$name/pulls" params={{ owner, name }} className="blue">
        To its pull requests
      </Link>
    </Empty>
  );
}

function BotView({ bot, owner, name }: Omit<BotPageProps, 'number'> & { readonly bot: Bot }): ReactNode {
  const { number, targetBranch, headCommitSha, closedAt, batch, pullRequests } = bot;
  return (
    <div className={parts['scroll']} tabIndex={0}>
      <Answer
        facts={
          <>
            <Pill>{labelOf(batch.state)}</Pill>
            <span>
              head <span className="mono">{shortenCommit(headCommitSha)}</span>
            </span>
            {closedAt && (
              <span>
                closed <Ago at={closedAt} />
              </span>
            )}
          </>
        }
      >
        #{number} is where CI runs on batch {batch.position} of {targetBranch}.{' '}
        <em>Interlock opened this pull request to run CI. It is never merged.</em>
      </Answer>
      <div className={parts['body']}>
        <h3 className={parts['h']}>The pull requests that it validates</h3>
        <Validated pullRequests={pullRequests} owner={owner} name={name} />
        <p>
          <Link to="/$owner/$name/queue/$" params={{ owner, name, _splat: targetBranch }} className="blue">
            To the queue of {targetBranch}
          </Link>
        </p>
      </div>
    </div>
  );
}

type ValidatedProps = Omit<BotPageProps, 'number'> & Pick<Bot, 'pullRequests'>;

function Validated({ pullRequests, owner, name }: ValidatedProps): ReactNode {
  return (
    <ul className={cx(parts['box'], parts['list'])}>
      {pullRequests.map((pull) => (
        <li key={pull.id}>
          <Link
            to="/$owner/$name/pull/$number"
            params={{ owner, name, number: String(pull.number) }}
            className="grow cut"
          >
            #{pull.number}{' '}
            <b>
              <Name>{pull.title}</Name>
            </b>
          </Link>
          <span className="sm dim">{labelOf(pull.status)}</span>
        </li>
      ))}
    </ul>
  );
}
