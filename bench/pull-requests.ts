// Inserts many pull requests. A trigger makes the words of the search row by row, which takes longer than everything
// else that a bench prepares. So one statement makes the words of all new rows.
import type pg from 'pg';

const withoutWords = `select p.account_id, p.repository_id, p.id, p.number, p.title, p.author, p.head_branch from pull_request p
  where not exists (select from pull_request_word w where w.account_id = p.account_id and w.pull_request_id = p.id)`;

/** `insert`: a statement that inserts pull requests. Executed by the owner of the tables. */
export async function insertPullRequests(
  owner: pg.Client,
  insert: string,
  values: readonly unknown[] = [],
): Promise<void> {
  await owner.query('alter table pull_request disable trigger keep_words');
  await owner.query(insert, [...values]);
  await owner.query(
    `insert into pull_request_word (account_id, repository_id, word, pull_request_id)
     select account_id, repository_id, search_words(pull_request_text(number, title, author, head_branch)) as word, id
     from (${withoutWords}) p order by account_id, repository_id, word, id`,
  );
  await owner.query('alter table pull_request enable trigger keep_words');
}
