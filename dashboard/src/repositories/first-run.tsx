// The page of the first steps, from an empty installation to a first landing.
import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { answerOf } from '../app/act.tsx';
import { useCopy } from '../app/copy.tsx';
import { problemOfThrown, problemReference, type Problem } from '../app/errors.ts';
import { useTitle } from '../app/page.tsx';
import { useShell } from '../app/use-shell.ts';
import { cx } from '../design/cx.ts';
import { Bar, Button, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { labelOf } from '../design/labels.ts';
import { CreateGitHubAppLinkDocument, CreateRepositoryDocument } from '../generated/repositories.ts';
import styles from './first-run.module.css';

interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

export function FirstRun(): ReactNode {
  useTitle('Welcome');
  const [repository, setRepository] = useState<RepositoryName | null>(null);
  return (
    <>
      <Bar title="Welcome" />
      <div className={parts['scroll']} tabIndex={0}>
        <div className={styles['first']}>
          <Greeting />
          <ol className={styles['todo']}>
            <SignedIn />
            <Step
              state={repository ? 'done' : 'now'}
              title={repository ? `Repository ${repository.owner}/${repository.name}` : 'Make a repository'}
            >
              {repository ? (
                <p className="dim">hosted here, with an empty branch main.</p>
              ) : (
                <MakeRepository onMade={setRepository} />
              )}
            </Step>
            <Step state={repository ? 'now' : 'ahead'} title="Push a commit that adds a check">
              <p className="dim">
                Every check in <code>.service/ci.yml</code> on main is required.
              </p>
              {repository && <Commands repository={repository} />}
            </Step>
            <Step state="ahead" title="Open a pull request and queue it">
              <p className="dim">
                Push a branch, and open its pull request on the page of the queue. Then press Q there, and watch it
                land.
              </p>
            </Step>
          </ol>
          <ConnectGitHub />
        </div>
      </div>
    </>
  );
}

function Greeting(): ReactNode {
  return (
    <div>
      <h2>
        Nothing is in line yet.
        <br />
        Three steps to a first landing.
      </h2>
      <p className={cx(parts['lead'], 'dim')}>About three minutes, with nothing but git.</p>
    </div>
  );
}

interface StepProps {
  readonly state: 'done' | 'now' | 'ahead';
  readonly title: string;
  readonly children: ReactNode;
}

function Step({ state, title, children }: StepProps): ReactNode {
  return (
    <li className={styles[state]}>
      <i aria-hidden="true" />
      <div>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}

function SignedIn(): ReactNode {
  const viewer = useShell()?.viewer;
  return (
    <Step state="done" title="You are signed in">
      <p className="dim">as {viewer ? `${labelOf(viewer.role)} of ${viewer.account.name}` : 'somebody'}.</p>
    </Step>
  );
}

function MakeRepository({ onMade }: MakeRepositoryProps): ReactNode {
  return (
    <>
      <CreateForm onMade={onMade} />
      <p className="dim">
        You have one already? On the machine of the service,{' '}
        <code>npm run import -- &lt;path or URL&gt; acme/shop</code> imports it with its history.
      </p>
    </>
  );
}

/** The commands that push a check, and the way to the queue of the repository. */
function Commands({ repository }: { readonly repository: RepositoryName }): ReactNode {
  const commands = useMemo(() => commandsOf(repository), [repository]);
  const navigate = useNavigate();
  const copy = useCopy();
  return (
    <>
      <p className="dim">
        Run these commands in your git repository. git asks for a user name and a password: type any name, and one of
        your <TokensLink /> as the password. Put your own command in the place of <code>npm test</code>. The commands
        commit only <code>.service/ci.yml</code>, and keep this file if it exists. They push to a new remote{' '}
        <code>interlock</code>, which your branch then follows.
      </p>
      <Terminal label="Commands that push a check">{commands}</Terminal>
      <div className={parts['acts']}>
        <Button icon="copy" onClick={() => copy(commands, 'The commands are copied.')}>
          Copy
        </Button>
        <Button
          kind="go"
          onClick={() => void navigate({ to: '/$owner/$name/queue/$', params: { ...repository, _splat: 'main' } })}
        >
          To its queue
        </Button>
      </div>
    </>
  );
}

function TokensLink(): ReactNode {
  return (
    <Link to="/settings/tokens" className="blue">
      tokens
    </Link>
  );
}

/**
 * The user's repository may be a clone of a repository elsewhere, with files that nobody should commit. So nothing runs
 * after a command that has failed, and the commands use neither `origin` nor other files.
 */
function commandsOf({ owner, name }: RepositoryName): string {
  const remote = `${location.origin}/git/${owner}/${name}.git`;
  return [
    // The remote exists if the user runs the commands again, for example after a failed push.
    `(git remote add interlock ${remote} || test "$(git remote get-url interlock)" = ${remote})`,
    'mkdir -p .service',
    String.raw`(test -e .service/ci.yml || printf 'checks:\n  unit:\n    run: npm test\n' > .service/ci.yml)`,
    'git add .service/ci.yml',
    "(git diff --cached --quiet -- .service/ci.yml || git commit -m 'Add a check' -- .service/ci.yml)",
    'git push -u interlock HEAD:main',
  ].join(' &&\n');
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
      (error: unknown) => setProblem(problemOfThrown(error)),
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
        <MakeApp url={url} />
      )}
      <ProblemText problem={problem} />
    </section>
  );
}

function MakeApp({ url }: { readonly url: string }): ReactNode {
  return (
    <p>
      <a href={url} className="blue">
        Make the App at GitHub
      </a>{' '}
      within an hour.
    </p>
  );
}

interface MakeRepositoryProps {
  readonly onMade: (repository: RepositoryName) => void;
}

function CreateForm({ onMade }: MakeRepositoryProps): ReactNode {
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
      (error: unknown) => setProblem(problemOfThrown(error)),
    );
  };
  return (
    <form onSubmit={submit} className={parts['field']}>
      <label className={parts['field']}>
        Owner and name, such as acme/shop
        <input
          className={parts['input']}
          required
          pattern="[^\/]+\/[^\/]+"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Button kind="go" type="submit">
        Make it
      </Button>
      <ProblemText problem={problem} />
    </form>
  );
}

function ProblemText({ problem }: { readonly problem: Problem | null }): ReactNode {
  if (problem === null) return null;
  return (
    <p className="red" role="alert">
      {problem.sentence} <span className="xs">{problemReference(problem)}</span>
    </p>
  );
}
