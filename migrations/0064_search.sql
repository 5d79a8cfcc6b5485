-- Phase: expand
-- Pull requests by their words, so that a search finds an old one without reading all of them.

-- The words of a text: lower case, without punctuation, each once. The same for rows and for what is searched for.
create function search_words(texts text) returns setof text immutable strict parallel safe language sql as $$
  select distinct left(word, 64)
  from string_to_table(regexp_replace(lower(texts), '[^[:alnum:]]+', ' ', 'g'), ' ') word where word <> ''
$$;

-- The words of the number, title, author and head branch of a pull request. Collation C, because a search reads a range
-- of words, and under row-level security only the plain comparisons of texts use an index.
create table pull_request_word (
  account_id bigint not null,
  repository_id bigint not null,
  word text collate "C" not null,
  pull_request_id bigint not null,
  primary key (account_id, repository_id, word, pull_request_id),
  foreign key (account_id, pull_request_id) references pull_request (account_id, id)
);
create index pull_request_word_of on pull_request_word (account_id, pull_request_id);

create function pull_request_text(number integer, title text, author text, head_branch text) returns text
  immutable parallel safe language sql as $$
    select number::text || ' ' || title || ' ' || author || ' ' || head_branch
  $$;

-- Before the trigger, which locks the table until the end of this migration.
insert into pull_request_word
  select account_id, repository_id, search_words(pull_request_text(number, title, author, head_branch)), id from pull_request;

create function keep_pull_request_words() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if (old.title, old.author, old.head_branch) is not distinct from (new.title, new.author, new.head_branch) then
      return null;
    end if;
    delete from pull_request_word where account_id = old.account_id and pull_request_id = old.id;
  end if;
  insert into pull_request_word
    select new.account_id, new.repository_id,
      search_words(pull_request_text(new.number, new.title, new.author, new.head_branch)), new.id;
  return null;
end $$;
create trigger keep_words after insert or update of title, author, head_branch on pull_request
  for each row execute function keep_pull_request_words();

-- Pull requests that came while the rows were filled.
insert into pull_request_word
  select p.account_id, p.repository_id, search_words(pull_request_text(p.number, p.title, p.author, p.head_branch)), p.id
  from pull_request p
  where not exists (
    select from pull_request_word w where w.account_id = p.account_id and w.pull_request_id = p.id);

select guard_new_tables();
