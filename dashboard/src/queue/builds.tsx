// Shows the builds, the own checks and the verification of a pull request.
import type { ReactNode } from 'react';
import { LiveLog } from '../app/live-log.tsx';
import { AnswerView, useWholeList } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Icon } from '../design/icons.tsx';
import { Empty, Pill, WithCode, type Tone } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At, describeRunTime, Since } from '../design/time.tsx';
import {
  EarlierVerificationLogDocument,
  VerificationLogDocument,
  VerificationStepsDocument,
  type VerificationStepsQuery,
} from '../generated/queue.ts';
import { numbers, sentence, shortenCommit, labelOf } from '../design/labels.ts';
import { passedConclusions, runningConclusions } from './conclusions.ts';
import type { PullRequest } from './pull-request.ts';
import styles from './builds.module.css';

type Check = PullRequest['checks'][number];
type Batch = PullRequest['batches']['nodes'][number];

export function Checks({ checks }: { readonly checks: readonly Check[] }): ReactNode {
  if (checks.length === 0)
    return <Empty title="No check has reported yet.">Checks appear here as soon as CI begins.</Empty>;
  return (
    <ul className={cx(parts['box'], parts['list'])}>
      {checks.map((check) => (
        <CheckItem key={check.name} check={check} />
      ))}
    </ul>
  );
}

function CheckItem({ check }: { readonly check: Check }): ReactNode {
  const { name, conclusion, attempt, startedAt, completedAt, summary, url } = check;
  const tone = passedConclusions.has(conclusion) ? 'green' : runningConclusions.has(conclusion) ? 'blue' : 'red';
  const icon = tone === 'green' ? 'check' : tone === 'blue' ? 'running' : 'cross';
  return (
    <li className={styles['check']}>
      <Icon name={icon} className={tone} />
      <span className="grow">
        {url ? (
          <a href={url} className={styles['link']}>
            {name}
          </a>
        ) : (
          name
        )}{' '}
        <span className={cx('sm', tone)}>{labelOf(conclusion)}</span>
        {attempt > 1 && <span className="sm faint"> attempt {attempt}</span>}
        {summary && <pre className={styles['summary']}>{summary}</pre>}
      </span>
      <span className="xs faint nowrap">
        {startedAt && completedAt && describeRunTime(Date.parse(completedAt) - Date.parse(startedAt))}
        {startedAt && !completedAt && <Since at={startedAt} />}
      </span>
    </li>
  );
}

const tones = { LANDED: 'green', FAILED: 'red', BISECTED: 'amber', SUPERSEDED: 'plain' } as const satisfies Partial<
  Record<Batch['state'], Tone>
>;

const causes = {
  NEW: 'formed when it was their turn',
  BISECT: 'one half of a failed batch',
  OPTIMISTIC: 'may pass for the failed build before it',
  PROBE: 'alone, after a conflict',
  RETRY: 'built again',
} as const satisfies Record<Batch['cause'], string>;

interface BuildsProps {
  readonly pull: PullRequest;
  /** The way to earlier builds. */
  readonly children: ReactNode;
}

export function Builds({ pull, children }: BuildsProps): ReactNode {
  if (pull.batches.nodes.length === 0)
    return (
      <Empty title="This pull request has not been built yet.">
        Its first build starts when its turn in line comes.
      </Empty>
    );
  return (
    <div className={styles['builds']}>
      {pull.batches.nodes.map((batch) => (
        <BuildCard key={batch.id} batch={batch} number={pull.number} />
      ))}
      {children}
    </div>
  );
}

function BuildCard({ batch, number }: { readonly batch: Batch; readonly number: number }): ReactNode {
  const others = batch.members.map(({ pullRequest }) => pullRequest.number).filter((one) => one !== number);
  const on = batch.parent
    ? `on batch ${batch.parent.position}`
    : batch.assumes.length > 0
      ? `assumes ${numbers(batch.assumes.map((one) => one.number))}`
      : 'on the tip';
  return (
    <section className={parts['box']} aria-label={`Batch ${batch.position}`}>
      <div className={styles['head']}>
        <b>Batch {batch.position}</b>
        <span className="dim">
          {others.length === 0 ? 'alone' : `with ${numbers(others)}`}, {on}
        </span>
        <span className="grow" />
        <Pill tone={(tones as Partial<Record<Batch['state'], Tone>>)[batch.state] ?? 'blue'}>
          {labelOf(batch.state)}
        </Pill>
      </div>
      <BuildFacts batch={batch} />
      {batch.checks.length > 0 && (
        <ul className={parts['list']}>
          {batch.checks.map((check) => (
            <CheckItem key={check.name} check={check} />
          ))}
        </ul>
      )}
    </section>
  );
}

function BuildFacts({ batch }: { readonly batch: Batch }): ReactNode {
  return (
    <div className={styles['facts']}>
      <span>
        <At at={batch.createdAt} />
        {batch.endedAt && (
          <>
            {' to '}
            <At at={batch.endedAt} />
          </>
        )}
      </span>
      {batch.commit && <span className="mono">{shortenCommit(batch.commit)}</span>}
      {batch.botPullRequest && <a href={batch.botPullRequest.githubUrl}>bot #{batch.botPullRequest.number}</a>}
      <span>{causes[batch.cause]}</span>
      {batch.endedReason && <span>{sentence(batch.endedReason)}</span>}
    </div>
  );
}

export function VerificationView({ pull }: { readonly pull: PullRequest }): ReactNode {
  const { verification } = pull;
  if (!verification) return <Empty title="This pull request was not tested in a preview." />;
  return (
    <>
      <Outcome verification={verification} />
      <h3 className={parts['h']}>Steps</h3>
      {verification.steps.pageInfo.hasNextPage ? (
        <ManySteps key={verification.status} verification={verification.id} isOver={!goesOn.has(verification.status)} />
      ) : (
        <Steps steps={verification.steps.nodes} />
      )}
      <LiveLog
        key={verification.id}
        document={VerificationLogDocument}
        variables={{ verification: verification.id }}
        pieceOf={({ verificationLog }) => verificationLog}
        pages={{
          document: EarlierVerificationLogDocument,
          pageOf: ({ node }) => (node?.__typename === 'Verification' ? node.log : null),
        }}
        heading="Output of the verification"
        label="Log of the verification"
        progress={verification.status}
      />
    </>
  );
}

type Verification = NonNullable<PullRequest['verification']>;
type Step = Verification['steps']['nodes'][number];

const noSteps = { nodes: [], pageInfo: { hasNextPage: false } };

function stepsOf({ node }: VerificationStepsQuery) {
  return node?.__typename === 'Verification' ? node.steps : noSteps;
}

const goesOn: ReadonlySet<Verification['status']> = new Set([
  'PENDING',
  'WAITING',
  'BOOTING',
  'DRIVING',
  'TEARING_DOWN',
]);

interface ManyStepsProps {
  readonly verification: string;
  /** Whether the verification has ended. */
  readonly isOver: boolean;
}

/** The steps of a verification that has more than the page of the pull request reads. */
function ManySteps({ verification, isOver }: ManyStepsProps): ReactNode {
  const answer = useWholeList(VerificationStepsDocument, { verification }, stepsOf, { isOnce: isOver });
  return (
    <AnswerView answer={answer} what="The steps">
      {(steps) => <Steps steps={steps} />}
    </AnswerView>
  );
}

function Steps({ steps }: { readonly steps: readonly Step[] }): ReactNode {
  return (
    <ul className={cx(parts['box'], parts['list'])} aria-label="Steps">
      {steps.map((step) => (
        <li key={step.ordinal}>
          <span className="grow">
            <span className="faint">{step.scenario}</span> <WithCode text={step.step} />
            {step.detail && <pre className={styles['summary']}>{step.detail}</pre>}
          </span>
          <span className="xs faint nowrap">
            {labelOf(step.conclusion)}, {describeRunTime(step.durationMs)}
          </span>
        </li>
      ))}
    </ul>
  );
}

const states: Readonly<Record<Verification['status'], string>> = {
  PENDING: 'has not begun',
  WAITING: 'waits for a preview',
  BOOTING: 'boots a preview',
  DRIVING: 'tests the preview',
  TEARING_DOWN: 'ends its preview',
  PASSED: 'has passed',
  FAILED: 'has failed',
  SKIPPED: 'was skipped',
  CANCELED: 'was canceled',
  ERROR: 'could not be carried out',
};

/** Says how the verification ended, and links to its preview while the preview runs. */
function Outcome({ verification }: { readonly verification: Verification }): ReactNode {
  const { status, summary, problem, preview } = verification;
  const tone = status === 'PASSED' ? 'green' : status === 'FAILED' || status === 'ERROR' ? 'red' : 'plain';
  const url = preview?.endedAt === null ? preview.url : null;
  return (
    <div className={cx(parts['next'], parts[tone])}>
      <b className={parts['lead']}>Its verification {states[status]}.</b>
      {summary && <span>{summary}</span>}
      {problem && <span>{problem}</span>}
      {url && (
        <a href={url} className="blue">
          Open the preview
        </a>
      )}
    </div>
  );
}
