// The page of webhooks: which addresses get events, and whether the deliveries succeed.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Client } from '@urql/core';
import { useClient, type TypedDocumentNode } from 'urql';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { AnswerView, useAnswer, useTitle } from '../app/page.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Answer, Bar, Button, Empty, Pill, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, labelOf } from '../design/labels.ts';
import {
  CreateWebhookEndpointDocument,
  DeleteWebhookEndpointDocument,
  DisableWebhookEndpointDocument,
  EnableWebhookEndpointDocument,
  PingWebhookEndpointDocument,
  RedeliverWebhookDocument,
  WebhookAttemptsDocument,
  type WebhookAttemptsQuery,
  WebhookDeliveryChangedDocument,
  WebhooksDocument,
  type WebhookDeliveryChangedSubscription,
  type WebhooksQuery,
} from '../generated/webhooks.ts';

type Endpoint = WebhooksQuery['webhookEndpoints']['nodes'][number];
type Delivery = Endpoint['deliveries']['nodes'][number];

/**
 * The subscription has no cursor. After each connection, its first message says that all deliveries must be read again.
 */
const deliveryChanged = WebhookDeliveryChangedDocument as TypedDocumentNode<
  WebhookDeliveryChangedSubscription,
  { after?: string | null | undefined }
>;

export function WebhooksPage(): ReactNode {
  useTitle('Webhooks');
  const client = useClient();
  const act = useAct();
  const answer = useLiveQuery({
    document: WebhooksDocument,
    variables: {},
    follows: { document: deliveryChanged, variables: {}, cursorOf: () => null },
  });
  const [secret, setSecret] = useState<string | null>(null);
  const onMade = (made: string | null): void => {
    setSecret(made);
    answer.refresh();
  };
  const create = (
    <Button kind="go" onClick={() => act(createAction(client, onMade))}>
      New webhook
    </Button>
  );
  return (
    <>
      <Bar title="Webhooks">
        <span className="grow" />
        {create}
      </Bar>
      <AnswerView answer={answer} what="The webhooks">
        {({ webhookEndpoints: { nodes } }) =>
          nodes.length === 0 ? (
            <Empty title="No address gets events yet." actions={create}>
              A webhook sends signed events to your address, and repeats each until it arrives.
            </Empty>
          ) : (
            <Endpoints endpoints={nodes} secret={secret} refresh={answer.refresh} />
          )
        }
      </AnswerView>
    </>
  );
}

function createAction(client: Client, onMade: (secret: string | null) => void): Action {
  return {
    title: 'A new webhook',
    verb: 'Create',
    harms: false,
    fields: [
      { name: 'url', label: 'Address that gets the events', type: 'url', required: true },
      { name: 'actions', label: 'Actions (with spaces between; empty: all)' },
    ],
    preview: null,
    run: async ({ url = '', actions = '' }) => {
      const { createWebhookEndpoint } = await answerOf(
        client.mutation(CreateWebhookEndpointDocument, {
          input: { url, actions: actionsOf(actions), ownSecret: false },
        }),
      );
      onMade(createWebhookEndpoint.secret ?? null);
      return `${url} gets events from now on.`;
    },
  };
}

interface EndpointsProps {
  readonly endpoints: readonly Endpoint[];
  /** The secret of a webhook that was just made. Null: no webhook was just made. */
  readonly secret: string | null;
  readonly refresh: () => void;
}

function Endpoints({ endpoints, secret, refresh }: EndpointsProps): ReactNode {
  const failing = endpoints.filter(({ failingSince }) => failingSince).length;
  return (
    <div className={parts['scroll']} tabIndex={0}>
      <Answer>
        {count(endpoints.length, 'address gets', 'addresses get')} webhooks.{' '}
        <em>{failing === 0 ? 'All addresses answer.' : `${count(failing, 'does', 'do')} not answer.`}</em>
      </Answer>
      <div className={parts['body']}>
        {secret !== null && <Terminal label="The secret that signs the deliveries">{secret}</Terminal>}
        {endpoints.map((endpoint) => (
          <EndpointCard key={endpoint.id} endpoint={endpoint} refresh={refresh} />
        ))}
      </div>
    </div>
  );
}

interface EndpointProps {
  readonly endpoint: Endpoint;
  readonly refresh: () => void;
}

function useEndpointActions({ endpoint: { id, url, enabled }, refresh }: EndpointProps) {
  const client = useClient();
  const act = useAct();
  const input = { id };
  const begin = (action: Omit<Action, 'preview'>): void =>
    act({
      ...action,
      preview: null,
      run: async (values, shown) => {
        const sentence = await action.run(values, shown);
        refresh();
        return sentence;
      },
    });
  return {
    ping: () =>
      begin({
        title: `Send a ping to ${url}`,
        verb: 'Ping',
        harms: false,
        run: async () => {
          await answerOf(client.mutation(PingWebhookEndpointDocument, { input }));
          return 'A ping is on its way.';
        },
      }),
    redeliver: (delivery: string) =>
      begin({
        title: 'Send this delivery again?',
        verb: 'Send again',
        harms: false,
        run: async () => {
          await answerOf(client.mutation(RedeliverWebhookDocument, { input: { id: delivery } }));
          return 'The delivery is sent again.';
        },
      }),
    flip: () =>
      begin({
        title: enabled
          ? `Switch ${url} off? It gets no events until it is switched on, and deliveries that are not sent yet are canceled.`
          : `Switch ${url} on? It gets the events that happen from now on.`,
        verb: enabled ? 'Switch off' : 'Switch on',
        harms: enabled,
        run: async () => {
          await answerOf(
            client.mutation(enabled ? DisableWebhookEndpointDocument : EnableWebhookEndpointDocument, { input }),
          );
          return enabled ? `${url} gets no events now.` : `${url} gets events from now on.`;
        },
      }),
    remove: () =>
      begin({
        title: `Delete ${url}? It gets no more events, and the records of its deliveries are deleted.`,
        verb: 'Delete',
        harms: true,
        run: async () => {
          await answerOf(client.mutation(DeleteWebhookEndpointDocument, { input }));
          return `${url} is deleted.`;
        },
      }),
  };
}

function EndpointCard(props: EndpointProps): ReactNode {
  const { endpoint } = props;
  const actions = useEndpointActions(props);
  const [openedId, setOpened] = useState<string | null>(null);
  const opened = endpoint.deliveries.nodes.find(({ id }) => id === openedId);
  const isToAll = endpoint.actions.length === 0 || endpoint.actions.includes('*');
  return (
    <section className={parts['box']} aria-label={endpoint.url}>
      <ul className={parts['list']}>
        <li>
          <span className="grow wrap">
            <b>{endpoint.url}</b>
            <span className="sm dim"> {isToAll ? 'everything' : endpoint.actions.join(', ')}</span>
          </span>
          {endpoint.failingSince && <Pill tone="red">failing</Pill>}
          {!endpoint.enabled && <Pill tone="amber">switched off</Pill>}
        </li>
        <li>
          {endpoint.enabled && <Button onClick={actions.ping}>Ping…</Button>}
          <Button kind="quiet" onClick={actions.flip}>
            {endpoint.enabled ? 'Switch off…' : 'Switch on…'}
          </Button>
          <Button kind="quiet" onClick={actions.remove}>
            Delete…
          </Button>
        </li>
        {endpoint.deliveries.nodes.map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            isOpen={delivery.id === openedId}
            onOpen={(isOpen) => setOpened(isOpen ? delivery.id : null)}
            onRedeliver={() => actions.redeliver(delivery.id)}
          />
        ))}
      </ul>
      {opened !== undefined && <Attempts key={opened.id} delivery={opened} />}
    </section>
  );
}

interface DeliveryItemProps {
  readonly delivery: Delivery;
  /** Whether the attempts of the delivery are shown. */
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onRedeliver: () => void;
}

function DeliveryItem({ delivery, isOpen, onOpen, onRedeliver }: DeliveryItemProps): ReactNode {
  return (
    <li className={cx('sm')}>
      <Pill tone={delivery.state === 'SUCCEEDED' ? 'green' : delivery.state === 'FAILED' ? 'red' : 'blue'}>
        {labelOf(delivery.state)}
      </Pill>
      <span className="grow wrap">{delivery.action}</span>
      <Button kind="quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        {count(delivery.attemptCount, 'attempt')}
      </Button>
      <span className="faint nowrap">
        <Ago at={delivery.createdAt} />
      </span>
      <Button kind="quiet" onClick={onRedeliver}>
        Again…
      </Button>
    </li>
  );
}

/** Shows the attempts of a delivery: what the address answered, or why no answer came. */
function Attempts({ delivery: { id, state, attemptCount } }: { readonly delivery: Delivery }): ReactNode {
  const answer = useAnswer(WebhookAttemptsDocument, { delivery: id });
  const { refresh } = answer;
  const shown = useRef({ state, attemptCount });
  useEffect(() => {
    if (shown.current.state === state && shown.current.attemptCount === attemptCount) return;
    shown.current = { state, attemptCount };
    refresh();
  }, [state, attemptCount, refresh]);
  return (
    <AnswerView answer={answer} what="The attempts">
      {({ node }) => {
        const { attempts = [], nextAttemptAt = null } = node?.__typename === 'WebhookDelivery' ? node : {};
        return (
          <ol className={parts['list']} aria-label="Attempts">
            {attempts.length === 0 && <li className="sm dim">No attempt has been made yet.</li>}
            {attempts.map((attempt) => (
              <AttemptItem key={attempt.number} attempt={attempt} />
            ))}
            {nextAttemptAt && (
              <li className="sm dim">
                It is sent again at <At at={nextAttemptAt} />.
              </li>
            )}
          </ol>
        );
      }}
    </AnswerView>
  );
}

type Attempt = Extract<
  NonNullable<WebhookAttemptsQuery['node']>,
  { __typename: 'WebhookDelivery' }
>['attempts'][number];

function AttemptItem({ attempt }: { readonly attempt: Attempt }): ReactNode {
  return (
    <li className="sm">
      <span className="faint nowrap">
        <At at={attempt.startedAt} />
      </span>
      <span className="grow wrap">
        {attempt.responseStatus !== null && attempt.responseStatus !== undefined && (
          <b>answered {attempt.responseStatus}</b>
        )}{' '}
        {attempt.error && <span className="red">{attempt.error}</span>}{' '}
        <span className="dim">{attempt.responseBody}</span>
      </span>
      {attempt.durationMs !== null && attempt.durationMs !== undefined && (
        <span className="faint nowrap">{attempt.durationMs} ms</span>
      )}
    </li>
  );
}

/** Reads names that are separated by spaces or commas. An empty text becomes `*`, which means all actions. */
function actionsOf(text: string): string[] {
  const names = text.split(/[\s,]+/).filter((one) => one !== '');
  return names.length === 0 ? ['*'] : names;
}
