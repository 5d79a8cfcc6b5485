// The page of the first steps, from an empty installation to a first landing.
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { answerOf, RefusedError, useSay } from '../app/act.tsx';
import { problemReference, type Problem } from '../app/errors.ts';
import { useTitle } from '../app/page.tsx';
import { useShell } from '../app/shell.tsx';
import { cx } from '../design/cx.ts';
import { Bar, Button, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { labelOf } from '../design/labels.ts';
import { CreateGitHubAppLinkDocument, CreateRepositoryDocument } from '../generated/repositories.ts';
import styles from './first-run.module.css';

export function FirstRun(): ReactNode {
  useTitle('Welcome');
  const viewer = useShell()?.viewer;
  const [repository, setRepository] = useState<{ readonly owner: string; readonly name: string } | null>(null);
  const commands = useMemo(() => (repository ? commandsOf(repository) : ''), [repository]);
  const navigate = useNavigate();
  const say = useSay();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(commands);
    say('The commands are copied.');
  };
  return (
    <>
      <Bar title="Welcome" />
      <div className={parts['scroll']} tabIndex={0}>
        <div className={styles['first']}>
          <div>
            <h2>
              Nothing is in line yet.
              <br />
              Three steps to a first landing.
            </h2>
            <p className={cx(parts['lead'], 'dim')}>About three minutes, with nothing but git.</p>
          </div>
          <ol className={styles['todo']}>
            <li className={styles['done']}>
              <i aria-hidden="true" />
              <div>
                <h3>You are signed in</h3>
                <p className="dim">as {viewer ? `${labelOf(viewer.role)} of ${viewer.account.name}` : 'somebody'}.</p>
              </div>
            </li>
            <li className={styles[repository ? 'done' : 'now']}>
              <i aria-hidden="true" />
              <div>
                <h3>{repository ? `Repository ${repository.owner}/${repository.name}` : 'Make a repository'}</h3>
                {repository ? (
                  <p className="dim">hosted here, with an empty branch main.</p>
                ) : (
                  <>
                    <CreateForm onMade={setRepository} />
                    <p className="dim">
                      You have one already? On the machine of the service,{' '}
                      <code>npm run import -- &lt;path or URL&gt; acme/shop</code> imports it with its history.
                    </p>
                  </>
                )}
              </div>
            </li>
            <li className={styles[repository ? 'now' : 'ahead']}>
              <i aria-hidden="true" />
              <div>
                <h3>Push a commit that adds a check</h3>
                <p className="dim">
                  Every check in <code>.service/ci.yml</code> on main is required.
                </p>
                {repository && (
                  <>
                    <Terminal label="Commands that push a check">{commands}</Terminal>
                    <div className={parts['acts']}>
                      <Button icon="copy" onClick={() => void copy()}>
                        Copy
                      </Button>
                      <Button
                        kind="go"
                        onClick={() =>
                          void navigate({ to: '/$owner/$name/queue/$', params: { ...repository, _splat: 'main' } })
                        }
                      >
                        To its queue
                      </Button>
                    </div>
                  </>
                )}
              </div>
            </li>
            <li className={styles['ahead']}>
              <i aria-hidden="true" />
              <div>
                <h3>Open a pull request and queue it</h3>
                <p className="dim">
                  Push a branch, open its pull request, then press Q on the page of the queue. Watch it land.
                </p>
              </div>
            </li>
          </ol>
          <ConnectGitHub />
        </div>
      </div>
    </>
  );
}

function commandsOf({ owner, name }: { readonly owner: string; readonly name: string }): string {
  return [
    `git remote add origin ${location.origin}/git/${owner}/${name}.git`,
    'mkdir -p .service',
    String.raw`printf 'checks:\n  unit:\n    run: npm test\n' > .service/ci.yml`,
    "git add -A && git commit -m 'Add a check' && git push origin HEAD:main",
  ].join('\n');
}

/** Connects GitHub: the user's first click makes the App, the second click installs it. */
function ConnectGitHub(): ReactNode {
  const client = useClient();
  const [organization, setOrganization] = useState('');
  const [url, setUrl] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const input = organization.trim() === '' ? {} : { organization: organization.trim() };
    answerOf(client.mutation(CreateGitHubAppLinkDocument, { input })).then(
      ({ createGitHubAppLink }) => {
        setProblem(null);
        setUrl(createGitHubAppLink.url);
      },
      (error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
        setProblem(error.problem);
      },
    );
  };
  return (
    <section aria-labelledby="github">
      <h3 id="github">Is your code at GitHub?</h3>
      <p className="dim">
        Two clicks make a GitHub App for you and install it. Then your repositories are listed here.
      </p>
      {url === null ? (
        <form onSubmit={submit} className={parts['field']}>
          <label className={parts['field']}>
            Organisation that owns the App, empty for your own account
            <input
              className={parts['input']}
              value={organization}
              onChange={(event) => setOrganization(event.currentTarget.value)}
            />
          </label>
          <Button type="submit">Connect GitHub</Button>
        </form>
      ) : (
        <p>
          <a href={url} className="blue">
            Make the App at GitHub
          </a>{' '}
          within an hour.
        </p>
      )}
      {problem && (
        <p className="red" role="alert">
          {problem.sentence} <span className="xs">{problemReference(problem)}</span>
        </p>
      )}
    </section>
  );
}

function CreateForm({
  onMade,
}: {
  readonly onMade: (repository: { readonly owner: string; readonly name: string }) => void;
}): ReactNode {
  const client = useClient();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const [owner = '', name = ''] = text.trim().split('/');
    answerOf(
      client.mutation(CreateRepositoryDocument, { input: { owner, name, host: 'LOCAL', defaultBranch: 'main' } }),
    ).then(
      () => onMade({ owner, name }),
      (error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
        setProblem(error.problem);
      },
    );
  };
  return (
    <form onSubmit={submit} className={parts['field']}>
      <label className={parts['field']}>
        Owner and name, such as acme/shop
        <input
          className={parts['input']}
          required
          pattern="[^/]+/[^/]+"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Button kind="go" type="submit">
        Make it
      </Button>
      {problem && (
        <p className="red" role="alert">
          {problem.sentence} <span className="xs">{problemReference(problem)}</span>
        </p>
      )}
    </form>
  );
}
