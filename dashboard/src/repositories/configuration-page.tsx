// The page of the configuration: the present configuration, and what a change of it would do.
import { Suspense, lazy, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useParams } from '@tanstack/react-router';
import type { Client } from '@urql/core';
import { useClient } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { useListPage } from '../app/entry-state.ts';
import { useHasDrafts } from '../app/drafts.ts';
import { backOffMs, isPassing, problemOfThrown, problemReference, RefusedError, type Problem } from '../app/errors.ts';
import { AnswerView, RepositoryAnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Answer, Banner, Bar, Button, Pages, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import { count } from '../design/labels.ts';
import {
  ConfigurationChangesDocument,
  type ConfigurationChangesQuery,
  ConfigurationDocument,
  PreviewConfigurationDocument,
  ReplaceConfigurationDocument,
  type ConfigurationQuery,
  type PreviewConfigurationQuery,
} from '../generated/repositories.ts';
import { Simulation } from './simulation.tsx';
import { useText } from './use-text.ts';
import styles from './configuration.module.css';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

type Repository = NonNullable<ConfigurationQuery['repository']>;
type Judged = PreviewConfigurationQuery['previewConfiguration'];

const judgeAfterMs = 400;
const noProblems: readonly never[] = [];

export function ConfigurationPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Configuration of ${owner}/${name}`);
  const answer = useAnswer(ConfigurationDocument, { owner, name });
  const hasDrafts = useHasDrafts();
  return (
    <RepositoryAnswerView answer={answer} what="The configuration" owner={owner} name={name}>
      {(repository) =>
        hasDrafts ? (
          <ConfigurationView
            key={`${owner}/${name}`}
            repository={repository}
            {...{ owner, name }}
            refresh={answer.refresh}
          />
        ) : (
          <Waiting />
        )
      }
    </RepositoryAnswerView>
  );
}

interface ViewProps {
  readonly repository: Repository;
  readonly owner: string;
  readonly name: string;
  readonly refresh: () => void;
}

interface Judging {
  /** Null: the server has not judged the text yet. */
  readonly judged: Judged | null;
  /** Why the server does not judge the text, for example because it is too long. Null: it does, or it is not known. */
  readonly problem: Problem | null;
}

/** Returns the server's judgement of the text. The text is sent a moment after the last key. */
function useJudged(text: string, { owner, name, repository }: ViewProps): Judging {
  const client = useClient();
  const [judgement, setJudgement] = useState<(Judging & { readonly text: string }) | null>(null);
  const isChanged = text !== repository.configuration.yaml;
  useEffect(() => {
    if (!isChanged) return undefined;
    let isCurrent = true;
    let failures = 0;
    const judge = (): void =>
      void answerOf(
        client.query(PreviewConfigurationDocument, { input: { repository: { owner, name }, yaml: text } }),
      ).then(
        ({ previewConfiguration }) => {
          if (isCurrent) setJudgement({ text, judged: previewConfiguration, problem: null });
        },
        (error: unknown) => {
          const problem = problemOfThrown(error);
          failures += 1;
          if (!isCurrent) return;
          if (isPassing(problem)) timer = setTimeout(judge, backOffMs(failures));
          else setJudgement({ text, judged: null, problem });
        },
      );
    let timer = setTimeout(judge, judgeAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, text, isChanged, owner, name]);
  // The judgement of another text says nothing about this one.
  return isChanged && judgement?.text === text ? judgement : { judged: null, problem: null };
}

function ConfigurationView(props: ViewProps): ReactNode {
  const { repository, owner, name } = props;
  const client = useClient();
  const act = useAct();
  const { yaml } = repository.configuration;
  const { begunFrom, text, edition, setText, discard } = useText(yaml, `configuration of ${owner}/${name}`);
  // The simulation uses the text at the time of the request, so that a key press does not start another simulation.
  const [simulated, setSimulated] = useState<{ readonly yaml: string | null } | null>(null);
  const { judged, problem } = useJudged(text, props);
  const problems = useMemo(() => placesOf(judged), [judged]);
  const isChanged = text !== yaml;
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Configuration">
        <span className="grow" />
        {isChanged && (
          <Button kind="quiet" onClick={discard}>
            Discard my text
          </Button>
        )}
        <Button onClick={() => setSimulated({ yaml: isChanged ? text : null })}>Simulate</Button>
        <Button
          kind="go"
          disabled={!isChanged || judged?.accepted !== true}
          onClick={() => act(replaceAction(client, { ...props, begunFrom }, text))}
        >
          Replace…
        </Button>
      </Bar>
      {begunFrom !== yaml && (
        <Banner tone="amber">
          The configuration has changed since you began to edit. Your text does not have this change.
        </Banner>
      )}
      <State repository={repository} sentence={judgement(isChanged, { judged, problem })} />
      <div className={parts['two']}>
        <div tabIndex={0}>
          <div className={styles['editor']}>
            <Suspense fallback={<Waiting />}>
              <Editor
                edition={edition}
                label="Configuration as YAML"
                initial={text}
                problems={problems}
                onChange={setText}
              />
            </Suspense>
          </div>
          <Judgement judged={judged} />
          {simulated && <Simulation owner={owner} name={name} yaml={simulated.yaml} />}
        </div>
        <EarlierChanges newest={repository.configurationHistory.nodes[0]?.id} owner={owner} name={name} />
      </div>
    </>
  );
}

/** The problems, as the editor marks them. */
function placesOf(judged: Judged | null) {
  return (judged?.problems ?? noProblems).map(({ line, column, reason }) => ({
    line: line ?? null,
    column: column ?? null,
    reason,
  }));
}

interface Replacing extends Omit<ViewProps, 'repository'> {
  readonly begunFrom: string;
}

function replaceAction(client: Client, { owner, name, begunFrom, refresh }: Replacing, yaml: string): Action {
  const send = async (preview: boolean, expectedHash: string | null) => {
    const input = { repository: { owner, name }, yaml, expectedHash, preview };
    const { replaceConfiguration } = await answerOf(client.mutation(ReplaceConfigurationDocument, { input }));
    return replaceConfiguration;
  };
  return {
    title: 'Replace the configuration?',
    verb: 'Replace',
    harms: true,
    preview: async () => {
      const { repository } = await answerOf(
        client.query(ConfigurationDocument, { owner, name }, { requestPolicy: 'network-only' }),
      );
      const hash = repository?.configuration.hash ?? null;
      const sentence = (await send(true, hash)).impact?.sentence ?? 'No running build is affected.';
      const isChanged = repository !== null && repository?.configuration.yaml !== begunFrom;
      return {
        pinned: hash,
        sentence: isChanged
          ? `The configuration has changed since you began to edit, and your text replaces this change too. ${sentence}`
          : sentence,
      };
    },
    run: async (_values, shown) => {
      // A refusal because of another change also reads the page again, so that the page says so.
      const { outcome } = await send(false, shown?.pinned ?? null).finally(refresh);
      if (outcome.__typename === 'ConfigurationRefused')
        throw new RefusedError({
          sentence: outcome.messages.join(' '),
          code: 'CONFIGURATION_REFUSED',
          requestId: null,
        });
      return 'The new configuration is in effect.';
    },
  };
}

/** Says since when the configuration is in force, and whether a later one was refused. */
function State({ repository, sentence }: { readonly repository: Repository; readonly sentence: string }): ReactNode {
  const { configurationRefusal: refusal } = repository;
  const [latest] = repository.configurationHistory.nodes;
  return (
    <>
      {refusal && (
        <Banner tone="red">
          The configuration pushed <At at={refusal.refusedAt} /> was refused: {refusal.errors.join(' ')}
        </Banner>
      )}
      <Answer>
        {latest ? (
          <>
            In force since <At at={latest.modifiedAt} />, by {authorOf(latest)}.
          </>
        ) : (
          'The defaults are in effect: nobody has changed the configuration.'
        )}{' '}
        <em>{sentence}</em>
      </Answer>
    </>
  );
}

type Change = Repository['configurationHistory']['nodes'][number];

function authorOf({ modifiedBy: { ghUsername, email } }: Change): string {
  return ghUsername ?? email ?? 'interlock';
}

interface EarlierChangesProps {
  /** The newest change. Another one is the reason to read the changes again. */
  readonly newest: string | undefined;
  readonly owner: string;
  readonly name: string;
}

function EarlierChanges({ newest, owner, name }: EarlierChangesProps): ReactNode {
  const [after, setAfter] = useListPage('changes');
  const answer = useAnswer(ConfigurationChangesDocument, { owner, name, after }, { isOnce: true });
  const { refresh } = answer;
  const read = useRef(newest);
  useEffect(() => {
    if (read.current !== newest) refresh();
    read.current = newest;
  }, [newest, refresh]);
  return (
    <div tabIndex={0}>
      <h3 className={parts['h']}>Earlier changes</h3>
      <AnswerView answer={answer} what="The earlier changes">
        {({ repository }) => (
          <>
            <Changes changes={repository?.changes.nodes ?? []} />
            <Pages after={after} pageInfo={repository?.changes.pageInfo} onPage={setAfter} />
          </>
        )}
      </AnswerView>
    </div>
  );
}

type EarlierChange = NonNullable<ConfigurationChangesQuery['repository']>['changes']['nodes'][number];

function Changes({ changes }: { readonly changes: readonly EarlierChange[] }): ReactNode {
  return (
    <>
      {changes.length === 0 && <p className="dim sm">Nothing yet.</p>}
      {changes.map((change) => (
        <details key={change.id} className={styles['change']}>
          <summary>
            <At at={change.modifiedAt} /> by {authorOf(change)}
          </summary>
          <pre className={parts['term']} tabIndex={0} role="region" aria-label="Difference made by this change">
            {change.diff}
          </pre>
        </details>
      ))}
    </>
  );
}

function judgement(isChanged: boolean, { judged, problem }: Judging): string {
  if (!isChanged) return 'Edit the configuration below. You see what a change would do before it takes effect.';
  if (problem !== null)
    return `The server does not judge this text: ${problem.sentence} (${problemReference(problem)})`;
  if (judged === null) return 'Checking what the change would do…';
  return judged.accepted
    ? `The change is valid and touches ${count(judged.changedKeys.length, 'key')}.`
    : `${count(judged.problems.length, 'problem')} must be fixed first.`;
}

function Judgement({ judged }: { readonly judged: Judged | null }): ReactNode {
  if (judged === null) return null;
  return (
    <div aria-live="polite">
      {judged.problems.length > 0 && <Problems problems={judged.problems} />}
      {judged.impact && (
        <div className={cx(parts['next'], parts['amber'], styles['problems'])}>{judged.impact.sentence}</div>
      )}
      {judged.changedKeys.length > 0 && <ChangedKeys changedKeys={judged.changedKeys} />}
    </div>
  );
}

function Problems({ problems }: Pick<Judged, 'problems'>): ReactNode {
  return (
    <ul className={cx(parts['box'], parts['list'], styles['problems'])}>
      {problems.map((problem) => (
        <li key={`${problem.line}:${problem.column} ${problem.reason}`}>
          <span className="red nowrap">
            {problem.line ? `line ${problem.line}, column ${problem.column ?? 1}` : problem.path.join('.')}
          </span>
          <span className="grow">
            {problem.reason}
            {problem.nearestKey && ` The nearest key is ${problem.nearestKey}.`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ChangedKeys({ changedKeys }: Pick<Judged, 'changedKeys'>): ReactNode {
  return (
    <table className={cx(parts['table'], styles['problems'])}>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">now</th>
          <th scope="col">then</th>
        </tr>
      </thead>
      <tbody>
        {changedKeys.map(({ key, before, after }) => (
          <tr key={key}>
            <td className="mono">{key}</td>
            <td>{before ?? 'default'}</td>
            <td>{after ?? 'default'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
