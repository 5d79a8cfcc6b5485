// What listens, and whether it hears.
import { useState, type ReactNode } from 'react';
import { useClient } from 'urql';
import { answerOf, useAct, useSay, type Action } from '../app/act.tsx';
import { Shown, useAnswer, useTitle } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Empty, Pill, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago } from '../design/time.tsx';
import { count, words } from '../design/words.ts';
import {
  CreateWebhookEndpointDocument,
  PingWebhookEndpointDocument,
  RedeliverWebhookDocument,
  WebhooksDocument,
  type WebhooksQuery,
} from '../generated/webhooks.ts';

type Endpoint = WebhooksQuery['webhookEndpoints']['nodes'][number];

export function WebhooksPage(): ReactNode {
  useTitle('Webhooks');
  const client = useClient();
  const act = useAct();
  const answer = useAnswer(WebhooksDocument, {});
  const [secret, setSecret] = useState<string | null>(null);
  const create: Action = {
    title: 'A new webhook',
    verb: 'Create',
    harms: false,
    fields: [
      { name: 'url', label: 'Address that is told', type: 'url', required: true },
      { name: 'actions', label: 'Of which actions (with spaces between; empty: all)' },
    ],
    preview: null,
    run: async ({ url = '', actions = '' }) => {
      const { createWebhookEndpoint } = await answerOf(
        client.mutation(CreateWebhookEndpointDocument, {
          input: { url, actions: actions.split(/[\s,]+/).filter((one) => one !== ''), ownSecret: false },
        }),
      );
      setSecret(createWebhookEndpoint.secret ?? null);
      answer.refresh();
      return `${url} is told from now on.`;
    },
  };
  return (
    <>
      <Bar title="Webhooks">
        <span className="grow" />
        <Button kind="go" onClick={() => act(create)}>
          New webhook
        </Button>
      </Bar>
      <Shown answer={answer} what="The webhooks">
        {({ webhookEndpoints: { nodes } }) => {
          if (nodes.length === 0)
            return (
              <Empty title="Nobody is told of anything yet.">
                A webhook tells an address of yours what happens, signed and repeated until it arrives.
              </Empty>
            );
          const failing = nodes.filter(({ failingSince }) => failingSince).length;
          return (
            <div className={parts['scroll']} tabIndex={0}>
              <Answer>
                {count(nodes.length, 'address is', 'addresses are')} told.{' '}
                <em>{failing === 0 ? 'All of them answer.' : `${count(failing, 'does', 'do')} not answer.`}</em>
              </Answer>
              <div className={parts['body']}>
                {secret !== null && <Terminal label="The secret that signs">{secret}</Terminal>}
                {nodes.map((endpoint) => (
                  <EndpointCard key={endpoint.id} endpoint={endpoint} refresh={answer.refresh} />
                ))}
              </div>
            </div>
          );
        }}
      </Shown>
    </>
  );
}

function EndpointCard({ endpoint, refresh }: { readonly endpoint: Endpoint; readonly refresh: () => void }): ReactNode {
  const client = useClient();
  const say = useSay();
  const ping = async (): Promise<void> => {
    await answerOf(client.mutation(PingWebhookEndpointDocument, { input: { id: endpoint.id } }));
    say('A ping is on its way.');
    refresh();
  };
  const redeliver = async (id: string): Promise<void> => {
    await answerOf(client.mutation(RedeliverWebhookDocument, { input: { id } }));
    say('It is sent again.');
    refresh();
  };
  return (
    <section className={parts['box']} aria-label={endpoint.url}>
      <ul className={parts['list']}>
        <li>
          <span className="grow cut">
            <b>{endpoint.url}</b>
            <span className="sm dim">
              {' '}
              {endpoint.actions.length === 0 ? 'everything' : endpoint.actions.join(', ')}
            </span>
          </span>
          {endpoint.failingSince && <Pill tone="red">failing</Pill>}
          {!endpoint.enabled && <Pill tone="amber">switched off</Pill>}
          <Button onClick={() => void ping()}>Ping</Button>
        </li>
        {endpoint.deliveries.nodes.map((delivery) => (
          <li key={delivery.id} className={cx('sm')}>
            <Pill tone={delivery.state === 'SUCCEEDED' ? 'green' : delivery.state === 'FAILED' ? 'red' : 'blue'}>
              {words(delivery.state)}
            </Pill>
            <span className="grow cut">{delivery.action}</span>
            <span className="faint wide">{count(delivery.attemptCount, 'attempt')}</span>
            <span className="faint nowrap">
              <Ago at={delivery.createdAt} />
            </span>
            <Button kind="quiet" onClick={() => void redeliver(delivery.id)}>
              Again
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
