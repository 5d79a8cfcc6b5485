// The actions on a runbook. The dialog of an action shows what the action would do, if the API can say so.
import type { Client } from '@urql/core';
import { answerOf, type Action } from '../app/act.tsx';
import { CancelRunbookDocument, ContinueRunbookDocument, RetryRunbookDocument } from '../generated/runbooks.ts';

export const microsInDollar = 1e6;

export function followUpAction(client: Client, number: number): Action {
  return {
    title: `Follow up runbook ${number}`,
    verb: 'Follow up',
    harms: false,
    fields: [{ name: 'prompt', label: 'What else should be done', required: true, multiline: true }],
    preview: null,
    run: async ({ prompt = '' }) => {
      await answerOf(client.mutation(ContinueRunbookDocument, { input: { number, prompt } }));
      return 'The follow-up is being planned.';
    },
  };
}

export function cancelAction(client: Client, number: number): Action {
  return {
    title: `Cancel runbook ${number}?`,
    verb: 'Cancel it',
    harms: true,
    preview: async () => {
      const { cancelRunbook } = await answerOf(
        client.mutation(CancelRunbookDocument, { input: { number, preview: true } }),
      );
      return {
        sentence: cancelRunbook.impact?.sentence ?? 'All work of the runbook has stopped.',
        lines: (cancelRunbook.impact?.waiting ?? []).map((step) => `Step ${step} is not done.`),
      };
    },
    run: async () => {
      await answerOf(client.mutation(CancelRunbookDocument, { input: { number, preview: false } }));
      return `Runbook ${number} is being canceled.`;
    },
  };
}

/** `isSpent`: the budget is spent, so the runbook needs a higher budget. */
export function retryAction(client: Client, number: number, isSpent: boolean): Action {
  const send = async ({ budget = '' }, preview: boolean) => {
    const budgetMicros = budget === '' ? null : Math.round(Number(budget) * microsInDollar);
    const { retryRunbook } = await answerOf(
      client.mutation(RetryRunbookDocument, { input: { number, budgetMicros, preview } }),
    );
    return retryRunbook.impact;
  };
  return {
    title: `Try what failed in runbook ${number} again?`,
    verb: 'Try again',
    harms: false,
    ...(isSpent && {
      fields: [{ name: 'budget', label: 'A higher budget, in US dollars', type: 'number' as const, required: true }],
    }),
    preview: async (values) => ({ sentence: (await send(values, true))?.sentence ?? 'What failed is tried again.' }),
    run: async (values) => {
      await send(values, false);
      return 'What failed is tried again.';
    },
  };
}
