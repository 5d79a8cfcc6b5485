-- Phase: expand
-- Whether Interlock stopped the build while its result was open. Its canceled checks then say nothing about CI.

alter table build add column stopped boolean not null default false;
