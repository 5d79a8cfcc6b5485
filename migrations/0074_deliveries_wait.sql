-- Lanes whose earlier deliveries come first, besides the one it is in: what is told of a batch waits for its members'.
alter table webhook_delivery add column waits_for text[] not null default '{}';
