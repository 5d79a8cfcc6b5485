// Shows the proof of a landing: what was tested next to what landed, and the commands that verify the proof.
import type { ReactNode } from 'react';
import { useCopy } from '../app/copy.tsx';
import { pathOf } from '../app/use-shell.ts';
import { cx } from '../design/cx.ts';
import { Button, Empty, Terminal } from '../design/parts.tsx';
import { Icon } from '../design/icons.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import { numbers, shortenCommit, labelOf } from '../design/labels.ts';
import { grades, isUntested } from './grade.tsx';
import type { PullRequest } from './pull-request.ts';
import { describeBuild } from './landed-build.ts';
import styles from './proof.module.css';

type Landed = NonNullable<PullRequest['landedBatch']>;

export function commandsOf(landed: {
  readonly commit: string;
  readonly owner: string;
  readonly name: string;
  readonly signedBy: string | null;
}): string {
  const { commit, owner, name, signedBy } = landed;
  return [
    `# in a clone of ${owner}/${name}`,
    `git fetch`,
    `git rev-parse ${shortenCommit(commit)}^{tree}`,
    `git rev-parse ${shortenCommit(commit)}^1`,
    `# every landing, derived again without Interlock from this clone and the two files below`,
    `python3 verify.py proofs.json . ${signedBy === null ? '' : `--key ${signedBy}`}`.trimEnd(),
    `# where Interlock runs: every landing, derived again from a clone and the records`,
    `npm run -s verify -- ${owner}/${name}`,
  ].join('\n');
}

interface ProofProps {
  readonly pull: PullRequest;
  readonly repository: { readonly owner: string; readonly name: string };
}

export function ProofView({ pull, repository }: ProofProps): ReactNode {
  const { landedBatch: landed } = pull;
  if (!landed?.commit) return <Empty title="There is no proof, because the queue did not land this pull request." />;
  const commands = commandsOf({ commit: landed.commit, signedBy: landed.proof?.signedBy ?? null, ...repository });
  return (
    <>
      <Grade landed={landed} pull={pull} />
      <h3 className={parts['h']}>Tested, and landed</h3>
      <Compared landed={landed} pull={pull} />
      <h3 className={parts['h']}>Verify it yourself, with only a clone and the records</h3>
      <Terminal label="Commands that derive the proof again">{commands}</Terminal>
      <Copies commands={commands} repository={repository} />
      {landed.proof && <Record proof={landed.proof} />}
    </>
  );
}

interface LandedProps {
  readonly landed: Landed;
  readonly pull: PullRequest;
}

function Grade({ landed, pull }: LandedProps): ReactNode {
  const isUnproved = isUntested(landed.grade);
  return (
    <div className={cx(parts['next'], parts[isUnproved ? 'amber' : 'green'])}>
      <b className={parts['lead']}>{landed.grade && grades[landed.grade]}</b>
      <span>
        {!isUnproved && landed.checks.length > 0 && `${describeBuild(pull)} `}
        {pull.baseBranch} moved to <span className="mono">{landed.commit && shortenCommit(landed.commit)}</span>
        {landed.endedAt && (
          <>
            {' '}
            at <At at={landed.endedAt} />
          </>
        )}
        {landed.grade !== 'HOST_MERGED' && landed.grade !== 'EXTERNAL' && ' by one compare-and-set'}.
      </span>
    </div>
  );
}

/** The buttons that copy the commands and download the files that the commands need. */
function Copies({ commands, repository }: { readonly commands: string } & Pick<ProofProps, 'repository'>): ReactNode {
  const copy = useCopy();
  return (
    <div className={cx(parts['acts'], styles['copy'])}>
      <Button icon="copy" onClick={() => copy(commands, 'The commands are copied.')}>
        Copy the commands
      </Button>
      <a className={parts['button']} href={pathOf(repository.owner, repository.name, 'proofs.json')} download>
        <Icon name="download" />
        proofs.json
      </a>
      <a className={parts['button']} href="/proofs/verify.py" download>
        <Icon name="download" />
        verify.py
      </a>
    </div>
  );
}

function Record({ proof }: { readonly proof: NonNullable<Landed['proof']> }): ReactNode {
  return (
    <>
      <h3 className={parts['h']}>Record</h3>
      <dl className={cx(parts['kv'], styles['digest'])}>
        <dt>Digest</dt>
        <dd className="mono">{proof.digest}</dd>
        <dt>Signed by</dt>
        <dd className="mono">{proof.signedBy ?? 'not signed yet'}</dd>
        <dt>Written</dt>
        <dd>
          <At at={proof.createdAt} />
        </dd>
      </dl>
      <Terminal label="The record of the proof">{JSON.stringify(proof.document, null, 2)}</Terminal>
    </>
  );
}

/** Shows the commits of the proof's record next to the commits of the landing. */
function Compared({ landed, pull }: LandedProps): ReactNode {
  return (
    <table className={cx(parts['table'], styles['compared'])}>
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden">What</span>
          </th>
          <th scope="col">tested</th>
          <th scope="col">landed</th>
        </tr>
      </thead>
      <tbody>
        <ComparedCommits landed={landed} />
        <tr>
          <th scope="row">Checks</th>
          <td colSpan={2}>
            {landed.checks.map(({ name, conclusion }) => `${name}: ${labelOf(conclusion)}`).join(', ')}
          </td>
        </tr>
        <tr>
          <th scope="row">Members</th>
          <td colSpan={2}>{numbers(landed.members.map(({ pullRequest }) => pullRequest.number))}</td>
        </tr>
        {landed.restsOn.length > 0 && (
          <tr>
            <th scope="row">Rests on</th>
            <td colSpan={2} className="mono">
              {landed.restsOn.map(shortenCommit).join(', ')}
            </td>
          </tr>
        )}
        <tr>
          <th scope="row">Merged as</th>
          <td colSpan={2} className="mono">
            {pull.mergeCommit && shortenCommit(pull.mergeCommit)}
          </td>
        </tr>
      </tbody>
    </table>
  );
}

function ComparedCommits({ landed }: Pick<LandedProps, 'landed'>): ReactNode {
  const tested = testedOf(landed);
  const rows = [
    ['Commit', tested.commit, landed.commit],
    ['Tree', tested.tree, landed.tree],
    ['First parent', tested.parent, landed.parentCommit],
  ] as const;
  return rows.map(([name, before, after]) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      <td className="mono">{before ? shortenCommit(before) : 'not recorded'}</td>
      <td>
        <span className="mono">{after && shortenCommit(after)}</span>{' '}
        {before && after && (
          <span className={before === after ? 'green' : 'amber'}>{before === after ? 'same' : 'different'}</span>
        )}
      </td>
    </tr>
  ));
}

interface Tested {
  readonly commit: string | null;
  readonly tree: string | null;
  readonly parent: string | null;
}

/** Reads the tested commits from the record. An older record may lack some of them. */
function testedOf({ proof, commit: landed, parentCommit }: Landed): Tested {
  const { evidence } = (proof?.document ?? {}) as { readonly evidence?: readonly { commit?: string; tree?: string }[] };
  const { commit = null, tree = null } = evidence?.[0] ?? {};
  // A commit determines its parent. So if the tested commit landed, the tested parent is the parent of the landing.
  return { commit, tree, parent: commit !== null && commit === landed ? parentCommit : null };
}
