// A repository whose pull requests, deployments and freezes are sent to Slack, and a clock that the test moves.
import { expect, vi } from 'vitest';
import type { SlackSettings } from '../../src/domain/slack/settings.ts';
import { openShop, repository, type Shop } from '../cli/shop.ts';
import { botToken, slackApi, type SlackApi, type SlackPost } from './slack-api.ts';

const yaml =
  'merge_rules: {labels: {trigger: q}, preconditions: {use_github_mergeability: false, number_of_approvals: 0}, merge_mode: {type: parallel, parallel_mode: {max_parallel_builds: 1}}}';

export interface SlackWorld extends AsyncDisposable {
  readonly api: SlackApi;
  readonly shop: Shop;
  readonly settings: SlackSettings;
  skippedMs(): number;
  later(seconds: number): void;
  /** Opens a pull request from a new branch, queues it, and returns its number. */
  openAndQueue(branch: string): Promise<number>;
  freezeBase(reason: string): Promise<void>;
  unfreezeBase(): Promise<void>;
  /** Waits until every message is up to date. */
  sendAll(): Promise<void>;
  /** The method and the error of each call. */
  methods(): string[];
  /** Drops the recorded messages and calls. */
  forget(): Promise<void>;
  /** The sentence of `explain`. */
  sentenceOf(number: number): Promise<string>;
}

/** `installed`: whether the installation has a bot, besides the bots of accounts. */
export async function slackWorld({ installed = true } = {}): Promise<SlackWorld> {
  let skippedMs = 0;
  const clock = (): Date => new Date(Date.now() + skippedMs);
  const api = await slackApi(clock);
  const channels = [
    { account: 'acme', repository: 'acme/*', channel: 'C0123456789' },
    { account: 'other', repository: 'acme/shop', channel: 'CFOREIGN' },
  ];
  const settings = { apiUrl: api.url, installation: installed ? { token: botToken, channels } : null };
  const shop = await openShop({ clock, slack: settings });
  const w: SlackWorld = {
    api,
    shop,
    settings,
    skippedMs: () => skippedMs,
    later: (seconds) => void (skippedMs += seconds * 1_000),
    async openAndQueue(branch) {
      const number = await shop.propose(branch);
      await shop.mutate('queuePullRequest', { repository, number });
      return number;
    },
    freezeBase: async (reason) => await shop.mutate('freezeBranches', { repository, baseBranches: 'main', reason }),
    async unfreezeBase() {
      const { errors } = await shop.s.graphql(
        'mutation ($input: BaseBranchesInput!) { unfreezeBranches(input: $input) { deleted } }',
        { input: { repository, baseBranches: 'main' } },
      );
      expect(errors).toEqual([]);
    },
    async sendAll() {
      await shop.s.drain();
      await vi.waitFor(
        async () => {
          // Edits of the same message are some seconds apart.
          w.later(4);
          await shop.s.service.slack?.look();
          // One statement reads both tables in one snapshot, because the service reads events and sends messages at the
          // same time.
          const left = await shop.s.rows(
            `select subject, problem from slack_message where told_version < version
             union all select 'news', null from slack_cursor c join event_head h on h.account_id = c.account_id where h.position > c.position
             union all select 'an event without a position', null from event where position is null`,
          );
          expect(left).toEqual([]);
        },
        { timeout: 60_000, interval: 50 },
      );
    },
    methods: () => api.calls.map(({ method, error }) => (error === null ? method : `${method}: ${error}`)),
    async forget() {
      await shop.s.rows('update slack_message set told_version = version');
      api.posts.length = 0;
      api.calls.length = 0;
    },
    async sentenceOf(number) {
      const { data } = await shop.s.graphql<{ repository: { pullRequest: { explain: { sentence: string } } } }>(
        `{ repository(owner: "acme", name: "shop") { pullRequest(number: ${number}) { explain { sentence } } } }`,
      );
      return data.repository.pullRequest.explain.sentence;
    },
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
  await shop.addEnvironment();
  await shop.mutate('replaceConfiguration', { repository, yaml });
  // The repository is paused, so the queue builds nothing.
  await shop.mutate('pauseRepository', { repository, paused: true });
  await w.sendAll();
  return w;
}

export const textOf = ({ blocks }: SlackPost): string =>
  blocks.flatMap(({ text, elements = [] }) => [text?.text ?? '', ...elements.map((each) => each.text)]).join('|');
