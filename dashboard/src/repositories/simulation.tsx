// Shows the result of a simulation. It compares the real past with the past under the present and under the changed
// configuration.
import { useEffect, useReducer, useRef, useState, type ReactNode } from 'react';
import { useClient } from 'urql';
import { answerOf } from '../app/act.tsx';
import { problemOfThrown, problemReference, type Problem } from '../app/errors.ts';
import { AnswerView, useAnswer } from '../app/page.tsx';
import { now } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Failure } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, describeDuration } from '../design/time.tsx';
import { count } from '../design/labels.ts';
import { SimulationsDocument, StartSimulationDocument, type SimulationsQuery } from '../generated/repositories.ts';

type Newest = NonNullable<SimulationsQuery['repository']>['simulations'][number];
type Outcome = NonNullable<Newest['outcome']>;

const days = 30;
const lookEveryMs = 1_000;
/** How long to wait after a refusal, before the simulation is asked for again. Each request uses up the rate limit. */
const pauseMs = 5_000;
/** The result of an older simulation is not shown for a new request, because more has happened since. */
const freshMs = 10 * 60_000;

interface SimulationProps {
  readonly owner: string;
  readonly name: string;
  /** The changed configuration. Null: only the present configuration is simulated. */
  readonly yaml: string | null;
}

/**
 * Starts and shows a simulation. The simulation continues when the reader leaves this page, and is shown when the
 * reader comes back.
 */
export function Simulation(props: SimulationProps): ReactNode {
  // It is read again only while a simulation runs, because a later simulation of another user would take the place of
  // the result.
  const answer = useAnswer(SimulationsDocument, { owner: props.owner, name: props.name }, { isOnce: true });
  const newest = answer.data?.repository?.simulations[0];
  const isWanted = newest?.days === days && (newest.yaml ?? null) === props.yaml;
  const isShown = newest?.state === 'DONE' && isWanted && now() - Date.parse(newest.createdAt) < freshMs;
  const isRunning = newest?.state === 'RUNNING';
  const isDue = answer.data !== undefined && !isRunning && !isShown;
  const { start, refused } = useStart(props, { isDue, isShown, refresh: answer.refresh });
  useRefresh(isRunning, answer.refresh);
  const again = { title: 'The simulation could not be run.', retry: start };
  return (
    <>
      <h3 className={parts['h']}>The last {days} days, played again</h3>
      {refused && !isRunning && !isShown && (
        <Failure {...again} code={problemReference(refused)}>
          {refused.sentence}
        </Failure>
      )}
      <AnswerView answer={answer} what="The simulation">
        {() => {
          if (newest === undefined) return null;
          if (newest.state === 'RUNNING') return <Running newest={newest} isWanted={isWanted} />;
          if (isWanted && newest.outcome) return <Simulated outcome={newest.outcome} createdAt={newest.createdAt} />;
          if (!isWanted || !newest.problem || refused !== null) return null;
          return (
            <Failure {...again} code="">
              {newest.problem}
            </Failure>
          );
        }}
      </AnswerView>
    </>
  );
}

interface Start {
  readonly start: () => void;
  /** Why the simulation was refused. Null: it was not refused. */
  readonly refused: Problem | null;
}

/** Starts a simulation of the text when one is due, once for each text. */
function useStart(
  { owner, name, yaml }: SimulationProps,
  { isDue, isShown, refresh }: { readonly isDue: boolean; readonly isShown: boolean; readonly refresh: () => void },
): Start {
  const client = useClient();
  const [refused, setRefused] = useState<Problem | null>(null);
  const requestedSubject = useRef<string | null>(null);
  const pause = usePause();
  const subject = JSON.stringify(yaml);
  // A result that is shown stays, also when it is no longer new.
  if (isShown) requestedSubject.current = subject;
  const start = (): void => {
    pause.end();
    requestedSubject.current = subject;
    setRefused(null);
    answerOf(client.mutation(StartSimulationDocument, { input: { repository: { owner, name }, yaml, days } })).then(
      ({ startSimulation: { problems } }) => {
        const sentence = `The text above has problems, so it cannot be simulated: ${problems.map(({ reason }) => reason).join(' ')}`;
        if (problems.length > 0) setRefused({ sentence, code: 'CONFIGURATION_REFUSED', requestId: null });
        refresh();
      },
      (error: unknown) => {
        const problem = problemOfThrown(error);
        setRefused(problem);
        // Another simulation of the account runs. If that simulation is of this repository, it is shown, and the
        // requested simulation begins afterwards.
        if (problem.code === 'RATE_LIMITED') pause.begin(() => (requestedSubject.current = null));
        refresh();
      },
    );
  };
  const isMissing = isDue && requestedSubject.current !== subject;
  useEffect(() => {
    if (isMissing) start();
  }, [isMissing, subject]);
  return { start, refused };
}

/** A pause between two requests. When it is over, `then` is called, and the component is drawn again. */
function usePause(): { readonly begin: (then: () => void) => void; readonly end: () => void } {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const end = (): void => clearTimeout(timer.current);
  useEffect(() => end, []);
  const begin = (then: () => void): void => {
    end();
    timer.current = setTimeout(() => {
      then();
      draw();
    }, pauseMs);
  };
  return { begin, end };
}

/** Reads the answer again while a simulation runs. A hidden tab does not read it. */
function useRefresh(isRunning: boolean, refresh: () => void): void {
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) refresh();
    }, lookEveryMs);
    return () => clearInterval(timer);
  }, [isRunning, refresh]);
}

function Running({ newest, isWanted }: { readonly newest: Newest; readonly isWanted: boolean }): ReactNode {
  const percent = Math.floor(newest.progress * 100);
  return (
    <p className="sm">
      <progress max={100} value={percent} aria-label="Simulated" />{' '}
      <span className="dim">
        {percent} % simulated.
        {isWanted
          ? ' You may leave the page meanwhile.'
          : ` This is another simulation, by ${newest.createdBy}. Yours begins when the other has ended.`}
      </span>
    </p>
  );
}

type Tally = {
  readonly landed: number;
  readonly builds: number;
  readonly buildsPerLanding?: number | null;
  readonly ejected: number;
  readonly waits?: { readonly p50: number; readonly p90: number } | null;
};

const rows: readonly (readonly [string, (tally: Tally) => string])[] = [
  [
    'Wait, p50 and p90',
    ({ waits }) => (waits ? `${describeDuration(waits.p50 * 1000)} / ${describeDuration(waits.p90 * 1000)}` : 'none'),
  ],
  ['Builds per landing', ({ buildsPerLanding }) => buildsPerLanding?.toFixed(2) ?? 'none'],
  ['Landed', ({ landed }) => String(landed)],
  ['Left the line', ({ ejected }) => String(ejected)],
];

function Simulated({
  outcome: simulated,
  createdAt,
}: {
  readonly outcome: Outcome;
  readonly createdAt: string;
}): ReactNode {
  return (
    <>
      <p className="dim sm">
        {count(simulated.arrivals, 'arrival')}, simulated <Ago at={createdAt} />.
      </p>
      <Tallies outcome={simulated} />
      <h3 className={parts['h']}>The simulation assumes</h3>
      <ul className={cx('sm', 'dim')}>
        {simulated.assumptions.map((assumption) => (
          <li key={assumption}>{assumption}</li>
        ))}
      </ul>
    </>
  );
}

/** What happened, what the simulation of the present configuration gives, and what that of the change gives. */
function Tallies({ outcome }: { readonly outcome: Outcome }): ReactNode {
  const columns = [
    ['as it was', outcome.observed],
    ['as it is, simulated', outcome.present],
    ['with the change', outcome.other],
  ] as const;
  const shown = columns.flatMap(([title, tally]) => (tally ? [[title, tally as Tally] as const] : []));
  return (
    <table className={parts['table']}>
      <thead>
        <tr>
          <td />
          {shown.map(([title]) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([title, textOf]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            {shown.map(([column, tally]) => (
              <td key={column}>{textOf(tally)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
