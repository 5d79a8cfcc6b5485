// The page of previews: the previews that can be opened now, and the verifications. (CI registers
// some previews, and verifications boot the others.)
import { useState, type ReactNode } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { useListPage } from '../app/entry-state.ts';
import { AnswerView, RepositoryAnswerView, useTitle } from '../app/page.tsx';
import { LiveSign } from '../app/connection.tsx';
import { useLiveQuery, type QueryAnswer } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Earlier, Empty, Pages, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, labelOf, shortenCommit } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import {
  PastVerificationsDocument,
  PreviewChangedDocument,
  PreviewsDocument,
  VerificationChangedDocument,
  type PastVerificationsQuery,
  type PreviewsQuery,
} from '../generated/previews.ts';

type Registration = NonNullable<PreviewsQuery['repository']>['previewRegistrations']['nodes'][number];
type Verification = NonNullable<PastVerificationsQuery['repository']>['verifications']['nodes'][number];

const pageSize = 20;

interface Place {
  readonly owner: string;
  readonly name: string;
}

export function PreviewsPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Previews of ${owner}/${name}`);
  const [after, setAfter] = useListPage('previews');
  const answer = useLiveQuery({
    document: PreviewsDocument,
    variables: { owner, name, after },
    follows: {
      document: PreviewChangedDocument,
      variables: { owner, name },
      cursorOf: ({ previewChanged }) => previewChanged.cursor,
    },
  });
  const [first, setFirst] = useState(pageSize);
  const verifications = useVerifications({ owner, name }, first);
  // The verifications that run are the newest.
  const sandboxes = after === null ? verifications.data?.repository?.verifications.nodes.filter(hasOpenSandbox) : [];
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Previews">
        <LiveSign />
      </Bar>
      <RepositoryAnswerView answer={answer} what="The previews" owner={owner} name={name}>
        {({ previewRegistrations: { nodes, pageInfo } }) => (
          <Previews
            previews={nodes}
            sandboxes={sandboxes ?? null}
            isPage={after !== null || pageInfo.hasNextPage}
            place={{ owner, name }}
            pages={<Pages after={after} pageInfo={pageInfo} onPage={setAfter} />}
          >
            <Verifications answer={verifications} first={first} onShow={setFirst} place={{ owner, name }} />
          </Previews>
        )}
      </RepositoryAnswerView>
    </>
  );
}

interface PreviewsProps {
  readonly previews: readonly Registration[];
  /** The verifications whose sandboxes can be opened now. Null: this is not known yet. */
  readonly sandboxes: readonly Verification[] | null;
  /** Whether there are other pages. */
  readonly isPage: boolean;
  readonly place: Place;
  /** The way to the other pages. */
  readonly pages: ReactNode;
  readonly children: ReactNode;
}

function Previews({ previews, sandboxes, isPage, place, pages, children }: PreviewsProps): ReactNode {
  const shown = previews.length + (sandboxes?.length ?? 0);
  return (
    <div className={parts['scroll']} tabIndex={0}>
      {shown === 0 && !isPage ? (
        sandboxes !== null && (
          <Empty title="No preview can be looked at now.">
            CI registers a preview when it has deployed one, and a verification boots one by itself.
          </Empty>
        )
      ) : (
        <Answer>
          {isPage
            ? `The ${count(shown, 'preview')} on this page can be looked at now.`
            : `${count(shown, 'preview')} can be looked at now.`}
        </Answer>
      )}
      <div className={parts['body']}>
        {shown > 0 && (
          <ul className={cx(parts['box'], parts['list'])} aria-label="Previews">
            {sandboxes?.map((verification) => (
              <SandboxRow key={verification.id} verification={verification} place={place} />
            ))}
            {previews.map((preview) => (
              <RegistrationRow key={preview.id} preview={preview} place={place} />
            ))}
          </ul>
        )}
        {isPage && pages}
        {children}
      </div>
    </div>
  );
}

/** Whether the verification has booted a sandbox that can be opened now. */
function hasOpenSandbox({ preview }: Verification): boolean {
  return preview?.method === 'SANDBOX' && preview.url !== null && preview.endedAt === null;
}

/** A sandbox that a verification has booted. It ends with the verification. */
function SandboxRow({
  verification: { headCommit, preview, pullRequest, createdAt, status },
  place,
}: {
  readonly verification: Verification;
  readonly place: Place;
}): ReactNode {
  return (
    <li>
      <PreviewLink url={preview?.url ?? ''} name={preview?.name} commit={headCommit}>
        until its verification ends
      </PreviewLink>
      <PullRequestLink place={place} number={pullRequest.number} />
      <span className="sm faint wide">
        <Ago at={createdAt} />
      </span>
      <Pill tone="blue">{labelOf(status)}</Pill>
    </li>
  );
}

function RegistrationRow({ preview, place }: { readonly preview: Registration; readonly place: Place }): ReactNode {
  return (
    <li>
      <PreviewLink url={preview.url} name={preview.name} commit={preview.commit}>
        {preview.branch}
      </PreviewLink>
      {preview.prNumber !== null && preview.prNumber !== undefined && (
        <PullRequestLink place={place} number={preview.prNumber} />
      )}
      <span className="sm faint wide">
        <Ago at={preview.createdAt} />, until <At at={preview.expiresAt} />
      </span>
      <Pill>{labelOf(preview.status)}</Pill>
    </li>
  );
}

function PreviewLink({
  url,
  name,
  commit,
  children,
}: {
  readonly url: string;
  readonly name: string | undefined;
  readonly commit: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span className="grow cut">
      <a href={url} rel="noreferrer">
        <b>
          <Name>{name}</Name>
        </b>
      </a>{' '}
      <span className="mono xs faint">{shortenCommit(commit)}</span> <span className="dim">{children}</span>
    </span>
  );
}

function PullRequestLink({ place, number }: { readonly place: Place; readonly number: number }): ReactNode {
  return (
    <Link className="blue" to="/$owner/$name/pull/$number" params={{ ...place, number: String(number) }}>
      #{number}
    </Link>
  );
}

/** Reads the newest verifications, including those that have not ended. */
function useVerifications(place: Place, first: number): QueryAnswer<PastVerificationsQuery> {
  return useLiveQuery({
    document: PastVerificationsDocument,
    variables: { ...place, first },
    follows: {
      document: VerificationChangedDocument,
      variables: { ...place },
      cursorOf: ({ verificationChanged }) => verificationChanged.cursor,
    },
  });
}

interface VerificationsProps {
  readonly answer: QueryAnswer<PastVerificationsQuery>;
  readonly first: number;
  readonly onShow: (first: number) => void;
  readonly place: Place;
}

function Verifications({ answer, first, onShow, place }: VerificationsProps): ReactNode {
  return (
    <AnswerView answer={answer} what="The verifications">
      {({ repository }) => {
        const { nodes = [], pageInfo } = repository?.verifications ?? {};
        return (
          <>
            <h3 className={parts['h']}>Verifications</h3>
            {nodes.length === 0 ? (
              <p className="sm dim">No pull request was verified yet.</p>
            ) : (
              <ul className={cx(parts['box'], parts['list'])} aria-label="Verifications">
                {nodes.map((verification) => (
                  <VerificationRow key={verification.id} verification={verification} place={place} />
                ))}
              </ul>
            )}
            <Earlier first={first} what="verifications" hasMore={pageInfo?.hasNextPage === true} onShow={onShow}>
              Earlier verifications are on the pages of their pull requests.
            </Earlier>
          </>
        );
      }}
    </AnswerView>
  );
}

const tones = { PASSED: 'green', FAILED: 'red', ERROR: 'red', SKIPPED: 'plain', CANCELED: 'plain' } as const;

function VerificationRow({
  verification: { status, headCommit, summary, createdAt, endedAt, pullRequest, preview },
  place,
}: {
  readonly verification: Verification;
  readonly place: Place;
}): ReactNode {
  return (
    <li>
      <Pill tone={(tones as Partial<Record<string, 'green' | 'red' | 'plain'>>)[status] ?? 'blue'}>
        {labelOf(status)}
      </Pill>
      <span className="grow cut">
        <Link
          to="/$owner/$name/pull/$number"
          params={{ ...place, number: String(pullRequest.number) }}
          search={{ tab: 'preview' }}
        >
          <b>
            #{pullRequest.number} <Name>{pullRequest.title}</Name>
          </b>
        </Link>{' '}
        <span className="mono xs faint">{shortenCommit(headCommit)}</span>{' '}
        <span className="dim">
          <Name>{summary ?? preview?.name}</Name>
        </span>
      </span>
      <span className="sm faint nowrap">
        <Ago at={endedAt ?? createdAt} />
      </span>
    </li>
  );
}
