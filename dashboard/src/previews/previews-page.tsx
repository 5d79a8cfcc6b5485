// What can be looked at now.
import type { ReactNode } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { Shown, useTitle } from '../app/page.tsx';
import { LiveSign } from '../app/shell.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Empty, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, short, labelOf } from '../design/labels.ts';
import { PreviewChangedDocument, PreviewsDocument } from '../generated/previews.ts';

export function PreviewsPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle(`Previews of ${owner}/${name}`);
  const answer = useLiveQuery({
    document: PreviewsDocument,
    variables: { owner, name },
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
      <Shown answer={answer} what="The previews">
        {({ repository }) => {
          const previews = repository?.previewRegistrations.nodes ?? [];
          if (previews.length === 0)
            return (
              <Empty title="No preview can be looked at now.">
                CI registers a preview when it has deployed one, and a verification boots one by itself.
              </Empty>
            );
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>{count(previews.length, 'preview')} can be looked at now.</Answer>
              <div className={parts['body']}>
                <ul className={cx(parts['box'], parts['list'])}>
                  {previews.map((preview) => (
                    <li key={preview.id}>
                      <span className="grow cut">
                        <a href={preview.url} rel="noreferrer">
                          <b>{preview.name}</b>
                        </a>{' '}
                        <span className="mono xs faint">{short(preview.commit)}</span>{' '}
                        <span className="dim">{preview.branch}</span>
                      </span>
                      {preview.prNumber !== null && preview.prNumber !== undefined && (
                        <Link
                          className="blue"
                          to="/$owner/$name/pull/$number"
                          params={{ owner, name, number: String(preview.prNumber) }}
                        >
                          #{preview.prNumber}
                        </Link>
                      )}
                      <span className="sm faint wide">
                        <Ago at={preview.createdAt} />, until <At at={preview.expiresAt} />
                      </span>
                      <Pill>{labelOf(preview.status)}</Pill>
                    </li>
                  ))}
                </ul>
              </div>
            </div>
          );
        }}
      </Shown>
    </>
  );
}
