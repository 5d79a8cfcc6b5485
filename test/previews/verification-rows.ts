// Inserts verifications as a worker would write them, for tests that read them.
import type { TestServer } from '../support/server.ts';

export interface NewVerification {
  readonly number?: number;
  readonly head: string;
  readonly attempt?: number;
  readonly status: string;
  /** SQL of more columns, such as `degraded = true`. */
  readonly more?: string;
}

/** Inserts a verification, and returns the id of its row. */
export async function addVerification(
  s: Pick<TestServer, 'rows' | 'accountId'>,
  { number = 1, head, attempt = 1, status, more }: NewVerification,
): Promise<string> {
  const [row] = await s.rows<{ id: string }>(
    `insert into verification (account_id, repository_id, pull_request_id, head_commit, attempt, cause, status, preview, preview_name, created_by, created_at)
     select account_id, repository_id, id, $3, $4, 'head', $5,
       '{"method": "sandbox", "name": "default", "image": "web", "port": 80, "setup": "up.sh", "teardown": null, "secrets": [], "verifySkill": "s.md"}',
       'default', 'interlock', timestamptz '2026-01-02T03:04:05Z'
     from pull_request where account_id = $1 and number = $2 returning id`,
    [s.accountId, number, head, attempt, status],
  );
  if (row === undefined) throw new Error(`There is no pull request ${number}.`);
  if (more !== undefined) await s.rows(`update verification set ${more} where id = $1`, [row.id]);
  return row.id;
}

export async function addStep(s: TestServer, verificationId: string, ordinal: number): Promise<void> {
  await s.rows(
    `insert into verification_step (account_id, verification_id, ordinal, scenario, step, conclusion, duration_ms, at)
     values ($1, $2, $3, 'Shop', 'Step ' || $3::integer, 'passed', 12, now())`,
    [s.accountId, verificationId, ordinal],
  );
}

export async function addLog(s: TestServer, verificationId: string, text: string): Promise<void> {
  await s.rows('insert into verification_log (account_id, verification_id, text, at) values ($1, $2, $3, now())', [
    s.accountId,
    verificationId,
    text,
  ]);
}
