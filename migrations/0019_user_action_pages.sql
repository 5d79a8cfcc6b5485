-- A page of the log is the newest of each entity asked for, merged, narrowed by an action or not. Most entries of an
-- account may be of one entity and action: told so, PostgreSQL expects any entity asked for to be everywhere, walks the
-- log by id alone, and through all of it where the entity is rare. Told of many values it takes the index of that one.
drop index user_action_action;
create index user_action_action on user_action (account_id, action, entity, id desc);
alter table user_action alter column entity set (n_distinct = 1000), alter column action set (n_distinct = 1000);
analyze user_action;
