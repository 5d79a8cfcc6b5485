// The page of a repository's runbooks, on which a user also creates one.
import { useMemo, type ReactNode } from 'react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useClient, useQuery } from 'urql';
import { useListPage } from '../app/entry-state.ts';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { useCommands } from '../app/commands.ts';
import { LiveSign } from '../app/connection.tsx';
import { RepositoryAnswerView, useTitle } from '../app/page.tsx';
import { refusalOf, useAccountRefusal } from '../app/permitted.ts';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Empty, Pages, Pill, type Tone } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago } from '../design/time.tsx';
import { count, labelOf } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import {
  CreateRunbookDocument,
  RunbookActionsDocument,
  RunbooksChangedDocument,
  RunbooksDocument,
  type RunbooksQuery,
} from '../generated/runbooks.ts';

export function toneOf(status: string): Tone {
  if (status === 'COMPLETED') return 'green';
  if (status === 'FAILED') return 'red';
  return status === 'NOT_STARTED' ? 'plain' : 'blue';
}

export function RunbooksPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Runbooks of ${owner}/${name}`);
  const act = useAct();
  const ask = useCreateAction(owner, name);
  const [after, setAfter] = useListPage('runbooks');
  const answer = useLiveQuery({
    document: RunbooksDocument,
    variables: { owner, name, after },
    follows: {
      document: RunbooksChangedDocument,
      variables: { owner, name },
      cursorOf: ({ runbookChanged }) => runbookChanged.cursor,
    },
  });
  // A viewer who may begin no runbook cannot read the runbooks either, so the account is asked too.
  const ofAccount = useAccountRefusal('START_RUNBOOK');
  const [{ data: actions }] = useQuery({ query: RunbookActionsDocument, variables: { owner, name } });
  const refusal = ofAccount ?? refusalOf(actions?.repository?.viewerCan ?? [], 'START_RUNBOOK');
  useCommands([{ key: 'n', label: 'New runbook…', group: 'This page', run: () => act(ask), disabled: refusal }]);
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Runbooks">
        <LiveSign />
        <span className="grow" />
        <Button kind="go" shortcut="N" disabled={refusal !== undefined} title={refusal} onClick={() => act(ask)}>
          New runbook
        </Button>
      </Bar>
      <RepositoryAnswerView answer={answer} what="The runbooks" owner={owner} name={name}>
        {({ runbooks: { nodes, pageInfo } }) => (
          <Runbooks runbooks={nodes} isPage={after !== null || pageInfo.hasNextPage}>
            <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
          </Runbooks>
        )}
      </RepositoryAnswerView>
    </>
  );
}

function useCreateAction(owner: string, name: string): Action {
  const client = useClient();
  const navigate = useNavigate();
  return useMemo(
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
        return `Runbook ${createRunbook.runbook.number} is created.`;
      },
    }),
    [client, owner, name, navigate],
  );
}

type Runbook = NonNullable<RunbooksQuery['repository']>['runbooks']['nodes'][number];

interface RunbooksProps {
  readonly runbooks: readonly Runbook[];
  /** Whether the list has other pages. */
  readonly isPage: boolean;
  /** The way to the other pages. */
  readonly children: ReactNode;
}

function Runbooks({ runbooks, isPage, children }: RunbooksProps): ReactNode {
  const running = runbooks.filter(({ status }) => toneOf(status) === 'blue').length;
  if (runbooks.length === 0)
    return (
      <Empty title="There is no runbook yet.">
        A runbook turns a prompt into commits and pull requests, step by step.
      </Empty>
    );
  return (
    <div className={parts['scroll']} tabIndex={0}>
      <Answer>
        {count(runbooks.length, 'runbook')}
        {isPage && ' on this page'}.{' '}
        <em>
          {running === 0
            ? `${isPage ? 'None of them' : 'No runbook'} is running.`
            : `${count(running, 'is', 'are')} running.`}
        </em>
      </Answer>
      <div className={parts['body']}>
        <ul className={cx(parts['box'], parts['list'])}>
          {runbooks.map((runbook) => (
            <RunbookItem key={runbook.id} runbook={runbook} />
          ))}
        </ul>
        {children}
      </div>
    </div>
  );
}

function RunbookItem({ runbook }: { readonly runbook: Runbook }): ReactNode {
  return (
    <li>
      <span className={parts['num']}>{runbook.number}</span>
      <Link to="/runbooks/$number" params={{ number: String(runbook.number) }} className="grow cut">
        <b>
          <Name isLine>{runbook.title}</Name>
        </b>
      </Link>
      <span className="sm dim wide">
        {runbook.stepCounts.completed} of {count(runbook.stepCounts.total, 'step')}, by {runbook.createdBy}
      </span>
      <span className="sm faint nowrap">
        <Ago at={runbook.createdAt} />
      </span>
      <Pill tone={toneOf(runbook.status)}>{labelOf(runbook.status)}</Pill>
    </li>
  );
}
