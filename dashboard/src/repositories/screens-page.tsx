// The page of links that show a queue without a session, on a screen or as a badge.
import { useState, type ReactNode } from 'react';
import { useParams } from '@tanstack/react-router';
import type { Client } from '@urql/core';
import { useClient } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { instantOf } from '../app/errors.ts';
import { RepositoryAnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { refusalOf, useAccountRefusal } from '../app/permitted.ts';
import { now } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Pill, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count } from '../design/labels.ts';
import {
  CreateEmbedLinkDocument,
  EmbedLinksDocument,
  RevokeEmbedLinkDocument,
  type EmbedLinksQuery,
} from '../generated/repositories.ts';

type Link = NonNullable<EmbedLinksQuery['repository']>['embedLinks'][number];

interface NewLink {
  readonly url: string;
  readonly badgeUrl: string;
  readonly branch: string;
}

export function ScreensPage(): ReactNode {
  const { owner = '', name = '' } = useParams({ strict: false });
  useTitle('Screens and badges');
  const client = useClient();
  const act = useAct();
  const ofAccount = useAccountRefusal('ADMINISTER');
  const answer = useAnswer(EmbedLinksDocument, { owner, name });
  const refusal = ofAccount ?? refusalOf(answer.data?.repository?.viewerCan ?? [], 'ADMINISTER');
  const [newLink, setNewLink] = useState<NewLink | null>(null);
  const { queues = [], defaultBranch = 'main' } = answer.data?.repository ?? {};
  const branches = [...new Set([defaultBranch, ...queues.map(({ baseBranch }) => baseBranch)])];
  const onMade = (link: NewLink): void => {
    setNewLink(link);
    answer.refresh();
  };
  return (
    <>
      <Bar
        crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>}
        title="Screens and badges"
      >
        <span className="grow" />
        <Button
          kind="go"
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => act(createAction(client, { owner, name, branches }, onMade))}
        >
          New link
        </Button>
      </Bar>
      <RepositoryAnswerView answer={answer} what="The links" owner={owner} name={name}>
        {({ embedLinks }) => (
          <Links
            links={embedLinks}
            newLink={newLink}
            refusal={refusal}
            onRevoke={(link) => act(revokeAction(client, link, answer.refresh))}
          />
        )}
      </RepositoryAnswerView>
    </>
  );
}

interface Branches {
  readonly owner: string;
  readonly name: string;
  readonly branches: readonly string[];
}

function createAction(client: Client, { owner, name, branches }: Branches, onMade: (link: NewLink) => void): Action {
  return {
    title: 'Show a queue without a session',
    verb: 'Make the link',
    harms: false,
    fields: [
      { name: 'branch', label: 'Base branch', options: branches },
      { name: 'until', label: 'Until (empty: 90 days)', type: 'datetime-local' },
    ],
    preview: async ({ branch = '' }) => ({
      sentence: `Everybody who has the link sees the queue of ${branch}: titles, authors, checks, and why each pull request waits.`,
      note: 'The link opens nothing else, changes nothing, and can be revoked here. It stops working when your user is removed.',
    }),
    run: async ({ branch = '', until = '' }) => {
      const { createEmbedLink } = await answerOf(
        client.mutation(CreateEmbedLinkDocument, {
          input: {
            repository: { owner, name },
            baseBranch: branch,
            expiresAt: instantOf(until, 'Until'),
          },
        }),
      );
      onMade({ ...createEmbedLink, branch });
      return 'The link is shown once. Copy it now.';
    },
  };
}

function revokeAction(client: Client, { id, baseBranch }: Link, refresh: () => void): Action {
  return {
    title: `Revoke the link to ${baseBranch}?`,
    verb: 'Revoke',
    harms: true,
    preview: async () => ({ sentence: 'Screens and badges that use the link show nothing from then on.' }),
    run: async () => {
      await answerOf(client.mutation(RevokeEmbedLinkDocument, { input: { id } }));
      refresh();
      return 'The link is revoked.';
    },
  };
}

interface LinksProps {
  readonly links: readonly Link[];
  readonly newLink: NewLink | null;
  /** Why the viewer may not revoke links. Undefined: the viewer may. */
  readonly refusal: string | undefined;
  readonly onRevoke: (link: Link) => void;
}

function Links({ links, newLink, refusal, onRevoke }: LinksProps): ReactNode {
  const working = links.filter((link) => stateOf(link) === 'works').length;
  return (
    <div className={parts['scroll']} tabIndex={0}>
      <Answer>
        {working === 0 ? 'No link shows' : count(working, 'link shows', 'links show')} a queue of this repository
        without a session. <em>A link is for a screen or a README, and changes nothing.</em>
      </Answer>
      <div className={parts['body']}>
        {newLink !== null && (
          <div className={cx(parts['next'], parts['green'])}>
            <b>The new link. It is shown once.</b>
            <Terminal label="The page for a screen">{newLink.url}</Terminal>
            <span>The same queue as a picture, for a README:</span>
            <Terminal label="Markdown of the badge">{`![${newLink.branch}](${newLink.badgeUrl})`}</Terminal>
          </div>
        )}
        {links.length > 0 && (
          <ul className={cx(parts['box'], parts['list'])}>
            {links.map((link, at) => (
              <LinkItem key={link.id} link={link} number={at + 1} refusal={refusal} onRevoke={onRevoke} />
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

interface LinkItemProps extends Pick<LinksProps, 'refusal' | 'onRevoke'> {
  readonly link: Link;
  /** Its place in the list, from 1. */
  readonly number: number;
}

function LinkItem({ link, number, refusal, onRevoke }: LinkItemProps): ReactNode {
  return (
    <li>
      <span className="grow cut">
        <b>{link.baseBranch}</b> <span className="faint">by {link.createdBy}</span>
      </span>
      <span className="sm faint wide">
        {link.lastUsedAt ? (
          <>
            opened <Ago at={link.lastUsedAt} />
          </>
        ) : (
          'never opened'
        )}
      </span>
      <span className="sm faint wide">
        until <At at={link.expiresAt} />
      </span>
      {stateOf(link) === 'works' ? (
        <Button
          kind="quiet"
          disabled={refusal !== undefined}
          title={refusal}
          about={`the link ${number} to ${link.baseBranch}, by ${link.createdBy}`}
          onClick={() => onRevoke(link)}
        >
          Revoke…
        </Button>
      ) : (
        <Pill tone="red">{stateOf(link)}</Pill>
      )}
    </li>
  );
}

function stateOf({ revokedAt, expiresAt }: Link): 'works' | 'revoked' | 'expired' {
  if (revokedAt) return 'revoked';
  return Date.parse(expiresAt) <= now() ? 'expired' : 'works';
}
