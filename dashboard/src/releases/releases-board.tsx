// Which candidate runs in which environment, and the deployments that brought it there.
import type { ReactNode } from 'react';
import { cx } from '../design/cx.ts';
import { Empty, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At, Since } from '../design/time.tsx';
import { short, words } from '../design/words.ts';
import type { ReleasesQuery } from '../generated/releases.ts';
import styles from './releases.module.css';

export type Project = NonNullable<ReleasesQuery['releaseProject']>;
type Environment = Project['environments'][number];
type Candidate = Project['releaseCandidates']['nodes'][number];

/** Statuses of deployments that have not ended. */
export const active = new Set(['PENDING', 'IN_PROGRESS', 'CANCELING']);

export function Board({ project }: { readonly project: Project }): ReactNode {
  const { environments, releaseCandidates } = project;
  if (releaseCandidates.nodes.length === 0)
    return (
      <Empty title="No candidate has been cut yet.">A candidate is a commit of the base branch with a version.</Empty>
    );
  return (
    <div className={styles['scroll']} tabIndex={0}>
      <table className={styles['board']}>
        <thead>
          <tr>
            <th scope="col" className="faint">
              Candidate
            </th>
            {environments.map((environment) => (
              <th scope="col" key={environment.id} className={environment.frozen ? styles['frozen'] : undefined}>
                <b>{environment.name}</b> {environment.frozen && <Pill tone="blue">frozen</Pill>}
                <p className="xs faint">
                  {environment.frozen
                    ? environment.frozen.sentence
                    : `${words(environment.tier)}, by ${words(environment.provider.kind)}`}
                </p>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {releaseCandidates.nodes.map((candidate) => (
            <tr key={candidate.id}>
              <th scope="row">
                <b>{candidate.version}</b>
                <p className="xs faint">
                  <span className="mono">{short(candidate.commit)}</span>, <At at={candidate.createdAt} />
                  {candidate.status !== 'READY' && `, ${words(candidate.status)}`}
                </p>
              </th>
              {environments.map((environment) => (
                <td key={environment.id} className={environment.frozen ? styles['frozen'] : undefined}>
                  <Cell environment={environment} candidate={candidate} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  environment,
  candidate,
}: {
  readonly environment: Environment;
  readonly candidate: Candidate;
}): ReactNode {
  const latest = environment.deployments.nodes.find((one) => one.releaseCandidateVersion === candidate.version);
  if (latest && active.has(latest.status))
    return (
      <div className={cx(styles['here'], styles['moving'])}>
        <b>{latest.kind === 'ROLLBACK' ? 'rolling back' : words(latest.status)}</b>
        <span>
          by {latest.actor} {latest.deployStartAt && <Since at={latest.deployStartAt} />}
        </span>
      </div>
    );
  if (environment.running?.releaseCandidate.version === candidate.version)
    return (
      <div className={styles['here']}>
        <b>runs here</b>
        <span>
          since <At at={environment.running.since} />
        </span>
      </div>
    );
  if (!latest) return null;
  const isRed = latest.status === 'FAILURE' || latest.status === 'ERROR';
  return (
    <span className={cx('sm', isRed ? 'red' : 'faint')} title={latest.errorMessage ?? undefined}>
      {isRed ? 'failed' : latest.status === 'SUCCESS' ? 'ran' : words(latest.status)}{' '}
      <At at={latest.deployEndAt ?? latest.createdAt} />
    </span>
  );
}

export function Recent({ environments }: { readonly environments: readonly Environment[] }): ReactNode {
  const all = environments
    .flatMap(({ name, deployments }) => deployments.nodes.map((deployment) => ({ ...deployment, environment: name })))
    .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .slice(0, 12);
  if (all.length === 0) return null;
  return (
    <section>
      <h3 className={parts['h']}>Deployments</h3>
      <ul className={cx(parts['box'], parts['list'])}>
        {all.map((one) => (
          <li key={one.id}>
            <Pill
              tone={
                one.status === 'SUCCESS' ? 'green' : one.status === 'FAILURE' || one.status === 'ERROR' ? 'red' : 'blue'
              }
            >
              {words(one.status)}
            </Pill>
            <span className="grow">
              {one.kind === 'ROLLBACK' ? 'Rollback of ' : ''}
              {one.environment} to <b>{one.releaseCandidateVersion}</b>
              {one.errorMessage && <span className="red sm"> {one.errorMessage}</span>}
            </span>
            <span className="sm dim wide">{one.actor}</span>
            <span className="sm faint nowrap">
              <Ago at={one.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
