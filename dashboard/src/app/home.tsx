// Redirects `/` to the last visited queue, or to the first queue, and `/<owner>/<name>` to a queue of the repository.
import { useEffect, type ReactNode } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Bar, Empty, Waiting } from '../design/parts.tsx';
import { ShellDocument, type ShellQuery } from '../generated/app.ts';
import { AnswerView, useAnswer } from './page.tsx';
import { readPreferences } from './preferences.ts';

export function Home(): ReactNode {
  const answer = useAnswer(ShellDocument, {});
  return (
    <AnswerView answer={answer} what="The repositories">
      {({ repositories: { nodes } }) => <Redirect repositories={nodes} />}
    </AnswerView>
  );
}

function Redirect({ repositories }: { readonly repositories: ShellQuery['repositories']['nodes'] }): ReactNode {
  const navigate = useNavigate();
  const { owner, name } = useParams({ strict: false });
  const wanted = repositories.find((one) => owner === undefined || (one.owner === owner && one.name === name));
  const { lastQueue } = readPreferences();
  const last =
    owner === undefined && repositories.some((one) => lastQueue?.startsWith(`/${one.owner}/${one.name}/`) === true)
      ? lastQueue
      : null;
  useEffect(() => {
    if (last !== null) void navigate({ to: last, replace: true });
    else if (wanted)
      void navigate({
        to: '/$owner/$name/queue/$',
        params: { owner: wanted.owner, name: wanted.name, _splat: wanted.defaultBranch },
        replace: true,
      });
  }, [last, wanted, navigate]);
  const isEmpty = repositories.length === 0;
  useEffect(() => {
    if (isEmpty) void navigate({ to: '/welcome', replace: true });
  }, [isEmpty, navigate]);
  if (last !== null || wanted || isEmpty) return <Waiting />;
  return (
    <>
      <Bar title="Not found" />
      <Empty title={`There is no repository ${owner}/${name} here.`}>Choose another repository at the left.</Empty>
    </>
  );
}
