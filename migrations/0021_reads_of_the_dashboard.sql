-- Pages of ended batches by state.
create index batch_by_state on batch (account_id, queue_id, state, id desc)
  where state in ('landed', 'failed', 'bisected', 'superseded');
