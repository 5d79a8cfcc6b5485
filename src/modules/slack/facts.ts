// Reads the present facts about the subject of a message.
import { systemContext, type Ports } from '../../context.ts';
import type { DeploymentNews, FreezeNews, PullRequestNews, SlackNews } from '../../domain/slack/message.ts';
import { explainAll } from '../queue/index.ts';

/** The facts about a subject, such as `pull_request:12` (news.ts). Null: the subject was deleted. */
export async function readSlackNews(ports: Ports, accountId: string, subject: string): Promise<SlackNews | null> {
  const [kind, id = '', event = ''] = subject.split(':');
  if (kind === 'pull_request') return await readPullRequest(ports, accountId, id);
  if (kind === 'deployment') return await readDeployment(ports, accountId, id);
  if (kind === 'branch_freeze') return await readBranchFreeze(ports, accountId, { queueId: id, eventId: event });
  return await readFreeze(ports, accountId, { environmentId: id, eventId: event });
}

async function readPullRequest(ports: Ports, accountId: string, id: string): Promise<PullRequestNews | null> {
  const [row] = await ports.db.system.query<Omit<PullRequestNews, 'kind' | 'sentence'> & { readonly createdAt: Date }>(
    `select r.owner || '/' || r.name as repository, p.number, p.title, p.author, p.url, p.status,
       p.merge_commit_sha as commit, p.created_at as "createdAt"
     from pull_request p join repository r on r.account_id = p.account_id and r.id = p.repository_id
     where p.account_id = $1 and p.id = $2 and r.deleted_at is null`,
    [accountId, id],
  );
  if (row === undefined) return null;
  const { createdAt, ...shown } = row;
  const ctx = systemContext(ports, accountId);
  const explained = await ports.db.transaction(
    accountId,
    async (tx) => await explainAll(ctx, tx, { pullRequests: [{ id, createdAt }], asOf: null, isBrief: true }),
  );
  return { kind: 'pull_request', ...shown, sentence: explained.get(id)?.sentence ?? '' };
}

async function readDeployment({ db }: Ports, accountId: string, id: string): Promise<DeploymentNews | null> {
  const [row] = await db.system.query<Omit<DeploymentNews, 'kind'>>(
    `select p.name as project, e.name as environment, c.version, d.kind = 'rollback' as "isRollback", d.status,
       coalesce(d.error_message, d.problem) as problem, d.actor
     from deployment d join environment e on e.account_id = d.account_id and e.id = d.environment_id
     join release_project p on p.account_id = e.account_id and p.id = e.project_id
     join release_candidate c on c.account_id = d.account_id and c.id = d.candidate_id
     where d.account_id = $1 and d.id = $2`,
    [accountId, id],
  );
  return row === undefined ? null : { kind: 'deployment', ...row };
}

async function readFreeze(
  { db }: Ports,
  accountId: string,
  { environmentId, eventId }: { readonly environmentId: string; readonly eventId: string },
): Promise<FreezeNews | null> {
  const [row] = await db.system.query<Omit<FreezeNews, 'kind'>>(
    `select b.payload ->> 'environment' as frozen, b.payload ->> 'project' as of, b.payload ->> 'reason' as reason,
       exists (select from event e where e.account_id = $1 and e.environment_id = $2 and e.action = 'environment_unfrozen' and e.id > b.id) as "hasEnded"
     from event b where b.account_id = $1 and b.environment_id = $2 and b.id = $3`,
    [accountId, environmentId, eventId],
  );
  return row === undefined ? null : { kind: 'freeze', ...row };
}

async function readBranchFreeze(
  { db }: Ports,
  accountId: string,
  { queueId, eventId }: { readonly queueId: string; readonly eventId: string },
): Promise<FreezeNews | null> {
  const [row] = await db.system.query<Omit<FreezeNews, 'kind'>>(
    `select b.payload ->> 'baseBranch' as frozen, r.owner || '/' || r.name as of, b.payload ->> 'reason' as reason,
       exists (select from event e where e.account_id = $1 and e.repository_id = b.repository_id and e.position > b.position
               and e.queue_id = $2 and e.action = 'base_branch_unfrozen') as "hasEnded"
     from event b join repository r on r.account_id = b.account_id and r.id = b.repository_id
     where b.account_id = $1 and b.queue_id = $2 and b.id = $3 and r.deleted_at is null`,
    [accountId, queueId, eventId],
  );
  return row === undefined ? null : { kind: 'freeze', ...row };
}
