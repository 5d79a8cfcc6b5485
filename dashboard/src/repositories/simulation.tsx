// What would have happened: the past as it was, as it is simulated, and as it would have been with the text above.
import type { ReactNode } from 'react';
import { Shown, useAnswer } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import parts from '../design/parts.module.css';
import { describeDuration } from '../design/time.tsx';
import { count } from '../design/labels.ts';
import { SimulateQueueDocument, type SimulateQueueQuery } from '../generated/repositories.ts';

type Simulated = SimulateQueueQuery['simulateQueue'];

const days = 30;

interface SimulationProps {
  readonly owner: string;
  readonly name: string;
  /** The changed configuration. Null: only the present one. */
  readonly yaml: string | null;
}

export function Simulation({ owner, name, yaml }: SimulationProps): ReactNode {
  const answer = useAnswer(SimulateQueueDocument, { input: { repository: { owner, name }, yaml, days } });
  return (
    <>
      <h3 className={parts['h']}>The last {days} days, played again</h3>
      <Shown answer={answer} what="The simulation">
        {({ simulateQueue }) => <Outcome simulated={simulateQueue} />}
      </Shown>
    </>
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

function Outcome({ simulated }: { readonly simulated: Simulated }): ReactNode {
  if (!simulated.accepted)
    return (
      <p className="red">
        The text above has problems, so it cannot be simulated:{' '}
        {simulated.problems.map(({ reason }) => reason).join(' ')}
      </p>
    );
  const columns = [
    ['as it was', simulated.observed],
    ['as it is, simulated', simulated.present],
    ['with the change', simulated.other],
  ] as const;
  const shown = columns.flatMap(([title, tally]) => (tally ? [[title, tally as Tally] as const] : []));
  return (
    <>
      <p className="dim sm">{count(simulated.arrivals, 'arrival')}.</p>
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
      <h3 className={parts['h']}>It assumes</h3>
      <ul className={cx('sm', 'dim')}>
        {simulated.assumptions.map((assumption) => (
          <li key={assumption}>{assumption}</li>
        ))}
      </ul>
    </>
  );
}
