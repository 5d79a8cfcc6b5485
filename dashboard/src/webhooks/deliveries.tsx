// Shows the deliveries of a webhook and their attempts.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { TypedDocumentNode } from 'urql';
import { AnswerView, useAnswer } from '../app/page.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { Button, Pages, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { Ago, At } from '../design/time.tsx';
import { count, labelOf } from '../design/labels.ts';
import {
  OlderDeliveriesDocument,
  WebhookAttemptsDocument,
  type WebhookAttemptsQuery,
  WebhookDeliveryChangedDocument,
  type WebhookDeliveryChangedSubscription,
  type WebhooksQuery,
} from '../generated/webhooks.ts';

type DeliveryPage = WebhooksQuery['webhookEndpoints']['nodes'][number]['deliveries'];
type Delivery = DeliveryPage['nodes'][number];

/**
 * The subscription has no cursor. After each connection, its first message says that all deliveries must be read again.
 */
export const deliveryChanged = WebhookDeliveryChangedDocument as TypedDocumentNode<
  WebhookDeliveryChangedSubscription,
  { after?: string | null | undefined }
>;

interface DeliveriesProps {
  readonly page: DeliveryPage;
  /** The cursor before the page. Null: the newest deliveries. */
  readonly after: string | null;
  readonly setAfter: (after: string | null) => void;
  readonly onRedeliver: (delivery: string) => void;
}

const noDeliveries: DeliveryPage = { nodes: [], pageInfo: { endCursor: null, hasNextPage: false } };

export function OlderDeliveries({
  endpoint,
  ...rest
}: Omit<DeliveriesProps, 'page'> & { readonly endpoint: string }): ReactNode {
  const answer = useLiveQuery({
    document: OlderDeliveriesDocument,
    variables: { endpoint, after: rest.after },
    follows: { document: deliveryChanged, variables: {}, cursorOf: () => null },
  });
  return (
    <AnswerView answer={answer} what="The older deliveries">
      {({ node }) => (
        <Deliveries page={node?.__typename === 'WebhookEndpoint' ? node.deliveries : noDeliveries} {...rest} />
      )}
    </AnswerView>
  );
}

export function Deliveries({ page: { nodes, pageInfo }, after, setAfter, onRedeliver }: DeliveriesProps): ReactNode {
  const [openedId, setOpened] = useState<string | null>(null);
  const opened = nodes.find(({ id }) => id === openedId);
  return (
    <>
      <ul className={parts['list']} aria-label="Deliveries" tabIndex={-1}>
        {nodes.map((delivery, at) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            number={at + 1}
            isOpen={delivery.id === openedId}
            onOpen={(isOpen) => setOpened(isOpen ? delivery.id : null)}
            onRedeliver={() => onRedeliver(delivery.id)}
          />
        ))}
        {(after !== null || pageInfo.hasNextPage) && (
          <li>
            <Pages after={after} pageInfo={pageInfo} onPage={setAfter} />
          </li>
        )}
      </ul>
      {opened !== undefined && <Attempts key={opened.id} delivery={opened} />}
    </>
  );
}

interface DeliveryItemProps {
  readonly delivery: Delivery;
  /** Its place in the list, from 1. */
  readonly number: number;
  /** Whether the attempts of the delivery are shown. */
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onRedeliver: () => void;
}

function DeliveryItem({ delivery, number, isOpen, onOpen, onRedeliver }: DeliveryItemProps): ReactNode {
  const subject = `of delivery ${number}: ${delivery.action}`;
  return (
    <li className="sm">
      <Pill tone={delivery.state === 'SUCCEEDED' ? 'green' : delivery.state === 'FAILED' ? 'red' : 'blue'}>
        {labelOf(delivery.state)}
      </Pill>
      <span className="grow wrap">{delivery.action}</span>
      <Button kind="quiet" about={subject} aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        {count(delivery.attemptCount, 'attempt')}
      </Button>
      <span className="faint nowrap">
        <Ago at={delivery.createdAt} />
      </span>
      <Button kind="quiet" about={subject} onClick={onRedeliver}>
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
