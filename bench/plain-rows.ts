// The prepared statements by which the baselines read one pull request and the line.

export interface PlainRow {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly head_branch: string;
  readonly base_branch: string;
  readonly status: string;
  readonly skip_line: boolean;
  readonly queued_at: Date | null;
  readonly merged_at: Date | null;
  readonly created_at: Date;
  readonly org: string;
  readonly repo: string;
}

export interface PlainRowWithBot extends PlainRow {
  readonly bot_number: number | null;
  readonly bot_url: string;
  readonly target_branch: string;
  readonly head_commit_sha: string;
  readonly pre_batch_sha: string;
}

const columns = `p.number, p.title, p.author, p.head_branch, p.base_branch, p.status, p.skip_line, p.queued_at, p.merged_at,
  p.created_at, r.owner as org, r.name as repo`;

export const one = {
  name: 'one',
  text: `select ${columns}, b.number as bot_number, b.url as bot_url, b.target_branch, b.head_commit_sha, b.pre_batch_sha
    from repository r
    join pull_request p on p.account_id = r.account_id and p.repository_id = r.id and p.number = $4
    left join lateral (
      select b.number, b.url, b.target_branch, b.head_commit_sha, b.pre_batch_sha
      from batch_member m join bot_pull_request b on b.account_id = m.account_id and b.batch_id = m.batch_id
      where m.account_id = p.account_id and m.pull_request_id = p.id order by m.batch_id desc limit 1
    ) b on true
    where r.account_id = $1 and r.owner = $2 and r.name = $3`,
};

export const line = {
  name: 'line',
  text: `select ${columns}
    from repository r
    join queue q on q.account_id = r.account_id and q.repository_id = r.id
    join pull_request p on p.account_id = q.account_id and p.queue_id = q.id and p.status in ('queued', 'tagged')
    where r.account_id = $1 and r.owner = $2 and r.name = $3 order by q.id, p.rank`,
};
