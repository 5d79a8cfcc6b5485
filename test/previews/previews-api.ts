// A repository whose configuration has previews, with the interfaces that CI and people use, and a clock that the test
// moves.
import { seed, sha, type SeededRepository } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';

export interface RegisterAnswer {
  readonly registration_id: string;
  readonly status: 'attached' | 'buffered';
  readonly url: string;
  readonly message: string;
  readonly expires_at: string;
  readonly error?: string;
}

export interface PreviewsApi extends AsyncDisposable {
  readonly s: TestServer;
  readonly seeded: SeededRepository;
  /** Moves the clock on by milliseconds. */
  pass(ms: number): void;
  now(): Date;
  configure(yaml: string): Promise<void>;
  /** Registers a preview. The default is pull request 1 at its head. */
  register(body?: object, headers?: Readonly<Record<string, string>>): Promise<RegisterAnswer>;
  deregister(body?: object): Promise<{ readonly deleted: number; readonly error?: string }>;
  /** All registrations, the newest first, including those that have ended. */
  registrations(): Promise<readonly ShownRegistration[]>;
  /** Runs an operation and returns its data. Throws if the operation is refused. */
  ask<Data>(document: string, variables?: object, token?: string): Promise<Data>;
  /** The runs of pull request 1, the oldest first. */
  runs(): Promise<readonly RunRow[]>;
  setRun(change: string): Promise<void>;
  events(like?: string): Promise<string[]>;
}

export interface ShownRegistration {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly status: string;
  readonly message: string;
  readonly endReason: string | null;
  readonly endedAt: string | null;
  readonly pullRequest: { readonly number: number } | null;
}

export interface RunRow {
  readonly id: string;
  readonly attempt: number;
  readonly cause: string;
  readonly status: string;
}

export const head = sha(1);
export const repository = { owner: 'acme', name: 'shop' };
const path = '/api/v1/verify/preview-environment';

export async function previewsApi(
  yaml = 'verify: {preview: [{method: endpoint, expires_default_sec: 600}]}',
): Promise<PreviewsApi> {
  let passed = 0;
  const now = (): Date => new Date(Date.now() + passed);
  const s = await startServer({ clock: now });
  const seeded = await seed(s);
  const subject = { repository: { org: repository.owner, name: repository.name }, pr_number: 1 };
  const api: PreviewsApi = {
    s,
    seeded,
    now,
    pass: (ms) => void (passed += ms),
    async configure(text) {
      const answer = await s.rest('POST', '/api/v1/config?org=acme&repo=shop', { body: text });
      if (answer.status !== 200) throw new Error(await answer.text());
    },
    async register(body = {}, headers = {}) {
      const answer = await s.rest('POST', path, {
        body: { ...subject, commit_sha: head, preview_url: 'https://one.example.test/', ...body },
        headers,
      });
      return (await answer.json()) as RegisterAnswer;
    },
    async deregister(body = {}) {
      const answer = await s.rest('DELETE', path, { body: { ...subject, ...body } });
      return (await answer.json()) as { deleted: number };
    },
    async registrations() {
      const { repository: found } = await api.ask<{
        repository: { previewRegistrations: { nodes: ShownRegistration[] } };
      }>(
        `{ repository(owner: "acme", name: "shop") { previewRegistrations(ended: true) { nodes {
           id name url status message endReason endedAt pullRequest { number } } } } }`,
      );
      return found.previewRegistrations.nodes;
    },
    async ask<Data>(document: string, variables: object = {}, token = s.token) {
      const { data, errors, text } = await s.graphql<Data>(document, { ...variables }, token);
      if (errors.length > 0) throw new Error(text);
      return data;
    },
    runs: async () =>
      await s.rows(
        `select v.id, v.attempt, v.cause, v.status from verification v join pull_request p on p.id = v.pull_request_id
         where p.number = 1 order by v.attempt`,
      ),
    async setRun(change) {
      await s.rows(`update verification set ${change} where id = (select max(id) from verification)`);
    },
    events: async (like = 'preview\\_%') =>
      (await s.rows<{ action: string }>('select action from event where action like $1 order by id', [like])).map(
        ({ action }) => action,
      ),
    [Symbol.asyncDispose]: async () => await s.close(),
  };
  await api.configure(yaml);
  return api;
}

/** The rows of all tables that contain the text, as text, hex or base64. */
export async function rowsContaining(s: TestServer, text: string): Promise<string[]> {
  const tables = await s.rows<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1",
  );
  if (tables.length < 50) throw new Error('The tables were not read.');
  const spellings = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64').slice(0, -3)];
  const found: string[] = [];
  for (const { name } of tables) {
    // Only the owner of the database may read the table of migrations.
    const rows = await s.rows<{ row: string }>(`select t::text as row from ${name} t`).catch(() => []);
    found.push(...rows.flatMap(({ row }) => (spellings.some((each) => row.includes(each)) ? [`${name}: ${row}`] : [])));
  }
  return found;
}
