// Redirects `/` to the last visited queue, or to the first queue, and `/<owner>/<name>` to a queue of the repository.
import { useEffect, type ReactNode } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Bar, Empty, Waiting } from '../design/parts.tsx';
import type { ShellQuery } from '../generated/app.ts';
import { AnswerView } from './page.tsx';
import { readPreferences } from './preferences.ts';
import { useShellAnswer } from './use-shell.ts';

export function Home(): ReactNode {
  const answer = useShellAnswer();
  return (
    <AnswerView answer={answer} what="The repositories">
      {({ repositories: { nodes, pageInfo } }) => <Redirect repositories={nodes} isComplete={!pageInfo.hasNextPage} />}
    </AnswerView>
  );
}

interface RedirectProps {
  readonly repositories: ShellQuery['repositories']['nodes'];
  /** Whether there are no other repositories. */
  readonly isComplete: boolean;
}

function Redirect({ repositories, isComplete }: RedirectProps): ReactNode {
  const navigate = useNavigate();
  const { owner, name } = useParams({ strict: false });
  const { lastQueue } = readPreferences();
  const last =
    owner === undefined && repositories.some((one) => lastQueue?.startsWith(`/${one.owner}/${one.name}/`) === true)
      ? lastQueue
      : null;
  // The repository of the last visited queue may be among those that are not read yet.
  const isOpen = owner === undefined && lastQueue !== null && !isComplete;
  const wanted = isOpen
    ? undefined
    : repositories.find((one) => owner === undefined || (one.owner === owner && one.name === name));
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
  if (last !== null || wanted || isEmpty || !isComplete) return <Waiting />;
  return (
    <>
      <Bar title="Not found" />
      <Empty title={`There is no repository ${owner}/${name} here.`}>Choose another repository at the left.</Empty>
    </>
  );
}
