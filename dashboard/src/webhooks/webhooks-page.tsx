// The page of webhooks: which addresses get events, and whether the deliveries succeed.
import { useState, type ReactNode } from 'react';
import type { Client } from '@urql/core';
import { useClient } from 'urql';
import { useListPage } from '../app/entry-state.ts';
import { answerOf, useAct, type Action } from '../app/act.tsx';
import { AnswerView, useTitle } from '../app/page.tsx';
import { useAccountRefusal } from '../app/permitted.ts';
import { useLiveQuery } from '../app/use-live-query.ts';
import { Answer, Bar, Button, Empty, Pages, Pill, Terminal } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { count } from '../design/labels.ts';
import {
  CreateWebhookEndpointDocument,
  DeleteWebhookEndpointDocument,
  DisableWebhookEndpointDocument,
  EnableWebhookEndpointDocument,
  PingWebhookEndpointDocument,
  RedeliverWebhookDocument,
  WebhooksDocument,
  type WebhooksQuery,
} from '../generated/webhooks.ts';
import { Deliveries, deliveryChanged, OlderDeliveries } from './deliveries.tsx';

type Endpoint = WebhooksQuery['webhookEndpoints']['nodes'][number];
export function WebhooksPage(): ReactNode {
  useTitle('Webhooks');
  const client = useClient();
  const act = useAct();
  const refusal = useAccountRefusal('ADMINISTER');
  const [after, setAfter] = useListPage('endpoints');
  const answer = useLiveQuery({
    document: WebhooksDocument,
    variables: { after },
    follows: { document: deliveryChanged, variables: {}, cursorOf: () => null },
    changesWithoutEvents: true,
  });
  const [secret, setSecret] = useState<string | null>(null);
  const onMade = (made: string | null): void => {
    setSecret(made);
    answer.refresh();
  };
  const create = (
    <Button
      kind="go"
      disabled={refusal !== undefined}
      title={refusal}
      onClick={() => act(createAction(client, onMade))}
    >
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
        {({ webhookEndpoints: { nodes, pageInfo } }) =>
          nodes.length === 0 && after === null ? (
            <Empty title="No address gets events yet." actions={create}>
              A webhook sends signed events to your address, and repeats each until it arrives.
            </Empty>
          ) : (
            <Endpoints
              endpoints={nodes}
              isPage={after !== null || pageInfo.hasNextPage}
              secret={secret}
              refresh={answer.refresh}
            >
              <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
            </Endpoints>
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
  /** Whether there are other pages. */
  readonly isPage: boolean;
  /** The way to the other pages. */
  readonly children: ReactNode;
  /** The secret of a webhook that was just made. Null: no webhook was just made. */
  readonly secret: string | null;
  readonly refresh: () => void;
}

function Endpoints({ endpoints, isPage, secret, refresh, children }: EndpointsProps): ReactNode {
  return (
    <div className={parts['scroll']} tabIndex={0}>
      <Answer>
        {describeReceivers(endpoints, isPage)} <em>{describeOthers(endpoints)}</em>
      </Answer>
      <div className={parts['body']}>
        {secret !== null && <Terminal label="The secret that signs the deliveries">{secret}</Terminal>}
        {endpoints.map((endpoint) => (
          <EndpointCard key={endpoint.id} endpoint={endpoint} refresh={refresh} />
        ))}
        {isPage && children}
      </div>
    </div>
  );
}

function describeReceivers(endpoints: readonly Endpoint[], isPage: boolean): string {
  const receivers = endpoints.filter(({ enabled }) => enabled).length;
  const here = isPage ? ' on this page' : '';
  if (receivers === 0) return `No address${here} gets webhooks.`;
  return `${count(receivers, `address${here} gets`, `addresses${here} get`)} webhooks.`;
}

/** Says how many addresses do not answer, and how many are switched off. */
function describeOthers(endpoints: readonly Endpoint[]): string {
  const receivers = endpoints.filter(({ enabled }) => enabled);
  const failing = receivers.filter(({ failingSince }) => failingSince).length;
  const off = endpoints.length - receivers.length;
  const sentences = [
    receivers.length > 0 && failing === 0 && 'All answer.',
    failing > 0 && `${count(failing, 'does', 'do')} not answer.`,
    off > 0 && `${count(off, 'is', 'are')} switched off.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(' ');
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
  const [after, setAfter] = useListPage(`deliveries of ${endpoint.id}`);
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
          {endpoint.enabled && (
            <Button about={endpoint.url} onClick={actions.ping}>
              Ping…
            </Button>
          )}
          <Button kind="quiet" about={endpoint.url} onClick={actions.flip}>
            {endpoint.enabled ? 'Switch off…' : 'Switch on…'}
          </Button>
          <Button kind="quiet" about={endpoint.url} onClick={actions.remove}>
            Delete…
          </Button>
        </li>
      </ul>
      {after === null ? (
        <Deliveries page={endpoint.deliveries} onRedeliver={actions.redeliver} {...{ after, setAfter }} />
      ) : (
        <OlderDeliveries endpoint={endpoint.id} onRedeliver={actions.redeliver} {...{ after, setAfter }} />
      )}
    </section>
  );
}

/** Reads names that are separated by spaces or commas. An empty text becomes `*`, which means all actions. */
function actionsOf(text: string): string[] {
  const names = text.split(/[\s,]+/).filter((one) => one !== '');
  return names.length === 0 ? ['*'] : names;
}
