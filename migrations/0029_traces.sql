-- Phase: expand
-- The trace (W3C traceparent) of the request that queued the pull request: its builds and its landing go on with it. Null
-- while nothing is traced.
alter table pull_request add column trace_parent text;
