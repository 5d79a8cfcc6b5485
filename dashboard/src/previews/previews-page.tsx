// The page of previews: the previews that can be opened now, and the verifications.
import { useState, type ReactNode } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { AnswerView, RepositoryAnswerView, useTitle } from '../app/page.tsx';
import { LiveSign } from '../app/connection.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Earlier, Empty, Pages, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, labelOf, shortenCommit } from '../design/labels.ts';
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

interface Place {
  readonly owner: string;
  readonly name: string;
}

export function PreviewsPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Previews of ${owner}/${name}`);
  const [after, setAfter] = useState<string | null>(null);
  const answer = useLiveQuery({
    document: PreviewsDocument,
    variables: { owner, name, after },
    follows: {
      document: PreviewChangedDocument,
      variables: { owner, name },
      cursorOf: ({ previewChanged }) => previewChanged.cursor,
    },
  });
  return (
    <>
      <Bar crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>} title="Previews">
        <LiveSign />
      </Bar>
      <RepositoryAnswerView answer={answer} what="The previews" owner={owner} name={name}>
        {({ previewRegistrations: { nodes, pageInfo } }) => {
          return (
            <Previews previews={nodes} isPage={after !== null || pageInfo.hasNextPage} place={{ owner, name }}>
              <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
            </Previews>
          );
        }}
      </RepositoryAnswerView>
    </>
  );
}

interface PreviewsProps {
  readonly previews: readonly Registration[];
  /** Whether there are other pages. */
  readonly isPage: boolean;
  readonly place: Place;
  /** The way to the other pages. */
  readonly children: ReactNode;
}

function Previews({ previews, isPage, place, children }: PreviewsProps): ReactNode {
  return (
    <div className={parts['scroll']} tabIndex={0}>
      {previews.length === 0 && !isPage ? (
        <Empty title="No preview can be looked at now.">
          CI registers a preview when it has deployed one, and a verification boots one by itself.
        </Empty>
      ) : (
        <Answer>
          {isPage
            ? `The ${count(previews.length, 'preview')} on this page can be looked at now.`
            : `${count(previews.length, 'preview')} can be looked at now.`}
        </Answer>
      )}
      <div className={parts['body']}>
        {previews.length > 0 && (
          <ul className={cx(parts['box'], parts['list'])} aria-label="Previews">
            {previews.map((preview) => (
              <RegistrationRow key={preview.id} preview={preview} place={place} />
            ))}
          </ul>
        )}
        {isPage && children}
        <Verifications {...place} />
      </div>
    </div>
  );
}

function RegistrationRow({ preview, place }: { readonly preview: Registration; readonly place: Place }): ReactNode {
  return (
    <li>
      <span className="grow cut">
        <a href={preview.url} rel="noreferrer">
          <b>{preview.name}</b>
        </a>{' '}
        <span className="mono xs faint">{shortenCommit(preview.commit)}</span>{' '}
        <span className="dim">{preview.branch}</span>
      </span>
      {preview.prNumber !== null && preview.prNumber !== undefined && (
        <Link className="blue" to="/$owner/$name/pull/$number" params={{ ...place, number: String(preview.prNumber) }}>
          #{preview.prNumber}
        </Link>
      )}
      <span className="sm faint wide">
        <Ago at={preview.createdAt} />, until <At at={preview.expiresAt} />
      </span>
      <Pill>{labelOf(preview.status)}</Pill>
    </li>
  );
}

const pageSize = 20;

/** The verifications, newest first, including those that have not ended. */
function Verifications(place: Place): ReactNode {
  const [first, setFirst] = useState(pageSize);
  const answer = useLiveQuery({
    document: PastVerificationsDocument,
    variables: { ...place, first },
    follows: {
      document: VerificationChangedDocument,
      variables: { ...place },
      cursorOf: ({ verificationChanged }) => verificationChanged.cursor,
    },
  });
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
            <Earlier first={first} hasMore={pageInfo?.hasNextPage === true} onShow={setFirst}>
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
            #{pullRequest.number} {pullRequest.title}
          </b>
        </Link>{' '}
        <span className="mono xs faint">{shortenCommit(headCommit)}</span>{' '}
        <span className="dim">{summary ?? preview?.name}</span>
      </span>
      <span className="sm faint nowrap">
        <Ago at={endedAt ?? createdAt} />
      </span>
    </li>
  );
}
